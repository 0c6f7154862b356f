/** Checked-in files that the code generates, kept fresh. */
@NullMarked
package dev.kip.controller.generated;

import org.jspecify.annotations.NullMarked;
