package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Tells a story again with a fault at every request of the controller that changes something: the controller dies before
 * it, dies after it, or its reply is lost. The story must end the same each time.
 */
public final class Sweep {

    private static final ImmutableList<Fate> FATES =
            ImmutableList.of(Fate.SENDER_DIES_BEFORE, Fate.SENDER_DIES_AFTER, Fate.REPLY_LOST);
    private static final Duration RESTART = Duration.ofSeconds(2);

    private final Runner runner;
    private final Runner.WorldMaker worlds;

    public Sweep(Runner.WorldMaker worlds) {
        this.worlds = worlds;
        this.runner = new Runner(worlds);
    }

    /**
     * One run of the sweep.
     *
     * @param request which of the controller's mutating requests, from 1
     */
    public record Case(int request, Fate fate, Outcomes outcomes) {

        public String name() {
            return "request " + request + " " + fate;
        }
    }

    /**
     * All runs.
     *
     * @param requests the mutating requests of the story without faults: the boundaries swept
     */
    public record Result(int requests, ImmutableList<Case> cases) {

        public ImmutableList<Case> failed() {
            return cases.stream().filter(c -> !c.outcomes().passed()).collect(ImmutableList.toImmutableList());
        }
    }

    /** @param progress told of each case as it ends */
    public Result run(Scenario scenario, long seed, Consumer<Case> progress) {
        int requests = count(scenario, seed);
        ImmutableList.Builder<Case> cases = ImmutableList.builder();
        for (int k = 1; k <= requests; k++) {
            for (Fate fate : FATES) {
                Fault fault = Fault.once("kip*", "*", "mutating", k, fate, Optional.of(RESTART));
                Case swept = new Case(k, fate, runner.run(scenario.withFaults(ImmutableList.of(fault)), seed, true));
                progress.accept(swept);
                cases.add(swept);
            }
        }
        return new Result(requests, cases.build());
    }

    /** How many requests of the controller change something in the story without faults, lease renewals apart. */
    public int count(Scenario scenario, long seed) {
        Scenario calm = scenario.withFaults(ImmutableList.of());
        SimulatedWorld world = worlds.make(calm, seed, false);
        runner.run(calm, seed, world);
        return Math.toIntExact(world.mutatingCalls("kip*"));
    }
}
