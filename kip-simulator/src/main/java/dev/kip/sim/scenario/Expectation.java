package dev.kip.sim.scenario;

import java.util.Optional;

/** What must be true when the story is over. */
public interface Expectation {

    String describe();

    /** Called before the first step. */
    default void begin(World world) {}

    /** What is the case instead; empty if it holds. */
    Optional<String> violated(World world);
}
