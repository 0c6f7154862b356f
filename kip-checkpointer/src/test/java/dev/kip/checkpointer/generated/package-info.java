/** Checked-in files that the code generates, kept fresh. */
@NullMarked
package dev.kip.checkpointer.generated;

import org.jspecify.annotations.NullMarked;
