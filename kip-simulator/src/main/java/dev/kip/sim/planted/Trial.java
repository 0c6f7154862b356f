package dev.kip.sim.planted;

import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.world.Worlds;

/**
 * A bug's story told twice: without the bug, and with it.
 *
 * @param without must have passed
 * @param with must have failed in the way that the bug says
 */
public record Trial(PlantedBug bug, Outcomes without, Outcomes with) {

    public static Trial of(PlantedBug bug, Scenario scenario, long seed) {
        Outcomes without = new Runner(Worlds::make).run(scenario, seed, false);
        Outcomes with = new Runner(Worlds.with(bug.parts())).run(scenario, seed, false);
        return new Trial(bug, without, with);
    }

    public boolean right() {
        return without.passed() && !with.passed() && with.problems().get(0).id().startsWith(bug.caughtBy());
    }

    /** What happened, in a line. */
    public String says() {
        if (!without.passed()) {
            return "fails without it too: " + without.problems().get(0);
        }
        return with.passed()
                ? "the story passes with it"
                : with.problems().get(0).id() + ": " + with.problems().get(0).text();
    }
}
