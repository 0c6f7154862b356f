/** A node in virtual time: kubelet by version, its container runtime, the machine that loses power. */
@NullMarked
package dev.kip.sim.kubelet;

import org.jspecify.annotations.NullMarked;
