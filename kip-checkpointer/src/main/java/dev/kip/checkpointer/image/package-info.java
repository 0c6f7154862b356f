/** Whether a machine, or an image mounted somewhere, can serve as a cell. */
@NullMarked
package dev.kip.checkpointer.image;

import org.jspecify.annotations.NullMarked;
