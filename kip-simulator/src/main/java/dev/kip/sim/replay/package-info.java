/** A run made explicit: a story's file with its seed, knobs and faults, that can be told again, edited and kept. */
@NullMarked
package dev.kip.sim.replay;

import org.jspecify.annotations.NullMarked;
