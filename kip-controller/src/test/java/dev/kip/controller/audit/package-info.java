/** What was recorded is read back. */
@NullMarked
package dev.kip.controller.audit;

import org.jspecify.annotations.NullMarked;
