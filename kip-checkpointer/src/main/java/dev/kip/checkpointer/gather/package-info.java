/** From a parent to a stored checkpoint: fetch what it refers to, sanitise, check, store. */
@NullMarked
package dev.kip.checkpointer.gather;

import org.jspecify.annotations.NullMarked;
