/** The controllers that a cluster has built in, against the simulated API server. */
@NullMarked
package dev.kip.sim.workloads;

import org.jspecify.annotations.NullMarked;
