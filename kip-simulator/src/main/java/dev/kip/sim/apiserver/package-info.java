/** The simulated kube-apiserver: JSON trees in a versioned store, behind the HTTP surface of the real one. */
@NullMarked
package dev.kip.sim.apiserver;

import org.jspecify.annotations.NullMarked;
