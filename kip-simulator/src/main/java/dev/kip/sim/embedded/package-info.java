/** The embedded world behind {@code kip up}: the simulated servers behind real sockets, with the production controller. */
@NullMarked
package dev.kip.sim.embedded;

import org.jspecify.annotations.NullMarked;
