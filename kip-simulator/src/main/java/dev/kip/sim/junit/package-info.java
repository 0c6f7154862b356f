/** Tests of controllers of your own, on {@code KubeApi} and {@code Loop}, in virtual time and under drawn troubles. */
@NullMarked
package dev.kip.sim.junit;

import org.jspecify.annotations.NullMarked;
