/** The simulated world of Kip: API server, EC2, cells and the production controller on one kernel. */
@NullMarked
package dev.kip.sim.world;

import org.jspecify.annotations.NullMarked;
