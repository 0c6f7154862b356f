/** The simulator's command line: {@code kip up} and {@code kip sim}. */
@NullMarked
package dev.kip.sim.cli;

import org.jspecify.annotations.NullMarked;
