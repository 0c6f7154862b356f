/** Whose an instance is. */
@NullMarked
package dev.kip.controller.ownership;

import org.jspecify.annotations.NullMarked;
