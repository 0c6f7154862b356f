package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;

/**
 * A story with its outcome.
 *
 * @param name of the file, without its ending
 * @param title what is told
 * @param because where it was reported, or why it is told; may be empty
 */
public record Scenario(
        String name,
        String title,
        String because,
        Given given,
        ImmutableList<Step> steps,
        ImmutableList<Fault> faults,
        ImmutableList<Expectation> expectations) {

    /** The same story under other faults. */
    public Scenario withFaults(ImmutableList<Fault> others) {
        return new Scenario(name, title, because, given, steps, others, expectations);
    }
}
