/** Tests of the world mock. */
@org.jspecify.annotations.NullMarked
package dev.kip.sim.mock;
