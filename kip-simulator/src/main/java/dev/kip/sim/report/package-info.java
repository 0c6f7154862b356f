/** How a run is shown: as a page with a timeline, as text, as JSON, and as JUnit's XML. */
@NullMarked
package dev.kip.sim.report;

import org.jspecify.annotations.NullMarked;
