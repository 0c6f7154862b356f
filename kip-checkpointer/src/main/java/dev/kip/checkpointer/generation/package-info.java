/** Checkpoints on disk: generations that are whole or not there, known by their digests, of this node alone. */
@NullMarked
package dev.kip.checkpointer.generation;

import org.jspecify.annotations.NullMarked;
