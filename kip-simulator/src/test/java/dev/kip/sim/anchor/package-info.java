/** What Kip relies on of an anchor's store, on every store there is. */
@NullMarked
package dev.kip.sim.anchor;

import org.jspecify.annotations.NullMarked;
