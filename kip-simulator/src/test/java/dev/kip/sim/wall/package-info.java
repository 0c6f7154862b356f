/** Tests of worlds in wall time. */
@org.jspecify.annotations.NullMarked
package dev.kip.sim.wall;
