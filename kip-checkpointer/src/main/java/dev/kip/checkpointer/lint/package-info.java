/** Tells before the power cut whether a pod would come back, and what its checkpoint would be. */
@NullMarked
package dev.kip.checkpointer.lint;

import org.jspecify.annotations.NullMarked;
