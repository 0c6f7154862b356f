/** Brings the pods of a node back after a power cut with no API server. */
@NullMarked
package dev.kip.checkpointer;

import org.jspecify.annotations.NullMarked;
