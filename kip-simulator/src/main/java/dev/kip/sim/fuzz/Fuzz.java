package dev.kip.sim.fuzz;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.sim.world.SimWorld;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;

/** Tells drawn histories. Safe for several threads: each history has a world of its own. */
public final class Fuzz {

    /** Names of the groups of histories. */
    public static final ImmutableList<String> GROUPS = ImmutableList.of("ownership");

    private Fuzz() {}

    /** The file of the history that this seed draws. */
    public static String story(long seed) {
        return OwnershipHistory.yaml(seed);
    }

    /** Tells the history of this seed. A bug of the simulator or of the controller that throws is a problem too. */
    public static Outcomes tell(long seed, boolean keepTimeline) {
        Scenario scenario;
        try {
            scenario = ScenarioReader.read("ownership-" + seed + ".yaml", story(seed));
        } catch (YamlProblem e) {
            throw new IllegalStateException("seed " + seed + " draws a broken file", e);
        }
        try {
            return new Runner(SimWorld::make).run(scenario, seed, keepTimeline);
        } catch (RuntimeException bug) {
            return new Outcomes(
                    scenario,
                    seed,
                    ImmutableList.of(new Problem("thrown", bug + " at " + place(bug))),
                    Duration.ZERO,
                    0,
                    "",
                    ImmutableList.of());
        }
    }

    private static String place(RuntimeException bug) {
        StackTraceElement[] trace = bug.getStackTrace();
        return trace.length == 0 ? "an unknown place" : trace[0].toString();
    }
}
