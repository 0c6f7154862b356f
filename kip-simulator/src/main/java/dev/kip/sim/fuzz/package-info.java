/** Random histories, told to the simulator as stories: one seed gives one story. */
@NullMarked
package dev.kip.sim.fuzz;

import org.jspecify.annotations.NullMarked;
