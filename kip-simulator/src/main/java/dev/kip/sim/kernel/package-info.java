/** The deterministic kernel: one heap of events in virtual time, one seed forked by name, and the simulated seams. */
@NullMarked
package dev.kip.sim.kernel;

import org.jspecify.annotations.NullMarked;
