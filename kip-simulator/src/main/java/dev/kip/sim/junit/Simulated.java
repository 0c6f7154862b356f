package dev.kip.sim.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is told once for each seed, in a world of its own: its method takes a {@link Simulation}. What goes wrong is
 * drawn from the seed. The first seed that fails is shrunk to the troubles that matter, and shown as a page under
 * {@code target/kip-sim}; the failure says how to tell that one again.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(SimulatedExtension.class)
public @interface Simulated {

    /** How many seeds. */
    int seeds() default 100;

    /** The first one. */
    long seed() default 1;

    /** What goes wrong, instead of what the seed draws; then one seed is told. As a failure writes it. */
    String[] troubles() default {};
}
