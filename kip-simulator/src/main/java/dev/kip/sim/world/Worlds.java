package dev.kip.sim.world;

import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.selfhosted.PlaneWorld;
import java.util.function.Supplier;

/** The world that a story is about: controllers and a cloud, or machines of a plane that hosts itself. */
public final class Worlds {

    private Worlds() {}

    public static SimulatedWorld make(Scenario scenario, long seed, boolean keepTimeline) {
        return with(() -> Parts.RIGHT).make(scenario, seed, keepTimeline);
    }

    /** @param parts what controllers and checkpointers are made of */
    public static Runner.WorldMaker with(Supplier<Parts> parts) {
        return (scenario, seed, keepTimeline) -> scenario.given().nodes().isPresent()
                ? PlaneWorld.make(scenario, seed, keepTimeline, parts.get())
                : SimWorld.make(scenario, seed, keepTimeline, parts.get());
    }
}
