/** What must hold at every moment of a simulated world, whatever is done to the controller: each a small class. */
@NullMarked
package dev.kip.sim.invariants;

import org.jspecify.annotations.NullMarked;
