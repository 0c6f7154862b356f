package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.wall.Carriage.Lack;
import java.time.Duration;

/**
 * How a story ended in wall time.
 *
 * @param lacking what the world did not carry
 * @param problems what went wrong
 */
public record WallOutcome(
        String scenario,
        String title,
        WorldKind world,
        ImmutableList<Lack> lacking,
        ImmutableList<Problem> problems,
        Duration took,
        ImmutableList<Trace.Line> timeline) {

    /** In one word. */
    public enum Result {
        /** All of it was told, and all that was expected holds. */
        PASSED,
        FAILED,
        /** Some of it was left out: no verdict on the story, whatever the rest showed. */
        PARTIAL
    }

    public Result result() {
        return !lacking.isEmpty() ? Result.PARTIAL : problems.isEmpty() ? Result.PASSED : Result.FAILED;
    }
}
