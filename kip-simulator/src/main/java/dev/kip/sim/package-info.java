/** The simulated world. */
@NullMarked
package dev.kip.sim;

import org.jspecify.annotations.NullMarked;
