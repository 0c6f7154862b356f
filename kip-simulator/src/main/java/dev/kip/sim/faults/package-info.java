/** Every kind of fault that a world knows: what it does, why it is worth doing, and in which story it shows. */
@NullMarked
package dev.kip.sim.faults;

import org.jspecify.annotations.NullMarked;
