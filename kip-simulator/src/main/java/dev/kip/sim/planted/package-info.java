/** Bugs that are planted on purpose, each to show that a story and an invariant catch it. */
@NullMarked
package dev.kip.sim.planted;

import org.jspecify.annotations.NullMarked;
