/** Worlds in wall time: an API server and an EC2 that answer over the network, and controllers that are processes. */
@org.jspecify.annotations.NullMarked
package dev.kip.sim.wall;
