package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.Trace;
import java.time.Duration;

/**
 * How a run of a story ended.
 *
 * @param problems what went wrong, empty if all went well
 * @param took virtual time
 * @param events how many events the kernel ran
 * @param hash of everything that crossed a seam
 */
public record Outcomes(
        Scenario scenario,
        long seed,
        ImmutableList<Problem> problems,
        Duration took,
        long events,
        String hash,
        ImmutableList<Trace.Line> timeline) {

    public boolean passed() {
        return problems.isEmpty();
    }

    /**
     * Something wrong.
     *
     * @param id what was violated: an invariant's name, {@code step N}, {@code expect N}, {@code fault N}
     */
    public record Problem(String id, String text) {}
}
