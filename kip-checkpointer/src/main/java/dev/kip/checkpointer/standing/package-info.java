/** What each checkpoint is to do now: a pure function of what is known, and of what was known before. */
@NullMarked
package dev.kip.checkpointer.standing;

import org.jspecify.annotations.NullMarked;
