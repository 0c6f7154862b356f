/** Scenarios: files of steps, faults and expectations, and what runs them. Each word is a small class. */
@NullMarked
package dev.kip.sim.scenario;

import org.jspecify.annotations.NullMarked;
