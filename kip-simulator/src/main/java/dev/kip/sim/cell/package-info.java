/** Simulated cells: an instance that boots with user data, its agent's final protocol, and a model of kubelet. */
@NullMarked
package dev.kip.sim.cell;

import org.jspecify.annotations.NullMarked;
