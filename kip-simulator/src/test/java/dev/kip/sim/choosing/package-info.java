/** Choosing, against a search that judges every offer on its own. */
@NullMarked
package dev.kip.sim.choosing;

import org.jspecify.annotations.NullMarked;
