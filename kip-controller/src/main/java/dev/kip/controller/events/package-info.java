/** What users are told about their pods. */
@NullMarked
package dev.kip.controller.events;

import org.jspecify.annotations.NullMarked;
