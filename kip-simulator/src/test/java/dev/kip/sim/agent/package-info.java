/** The node agent of a cell in virtual time, between a controller's client and a kubelet that is played. */
@NullMarked
package dev.kip.sim.agent;

import org.jspecify.annotations.NullMarked;
