/** What the simulated services of AWS have in common. */
@NullMarked
package dev.kip.sim.aws;

import org.jspecify.annotations.NullMarked;
