/** What the API server serves, told to clients: aggregated discovery and the older lists. */
@NullMarked
package dev.kip.sim.apiserver.discovery;

import org.jspecify.annotations.NullMarked;
