/** Cells that are real: each instance of a played EC2 is a machine of its own on this one, with containerd, kubelet and the agent. */
@NullMarked
package dev.kip.sim.machine;

import org.jspecify.annotations.NullMarked;
