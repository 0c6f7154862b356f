package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.scenario.Outcomes.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Runs a story in a simulated world: steps in order, then the expectations. */
public final class Runner {

    /** A condition is looked at again when something has changed, and no more often than this. */
    private static final Duration LOOK = Duration.ofMillis(5);

    private final WorldMaker worlds;

    public Runner(WorldMaker worlds) {
        this.worlds = worlds;
    }

    /** Makes the world in which a story begins. */
    public interface WorldMaker {
        SimulatedWorld make(Scenario scenario, long seed, boolean keepTimeline);
    }

    /** A world in virtual time. */
    public interface SimulatedWorld extends World {

        Kernel kernel();

        /** Changes with everything that a word could see in a cluster or of an instance. */
        long version();

        /** Requests so far: what else a word could see changes by them. */
        long requests();

        /** What invariants found so far. */
        ImmutableList<Problem> violations();

        /** Faults that never found their request. */
        ImmutableList<Fault> missedFaults();

        /** Words of injected faults that never hit anything. */
        default ImmutableList<String> missedStrikes() {
            return ImmutableList.of();
        }

        /** Looks once more, when the story is over. */
        void finish();
    }

    public Outcomes run(Scenario scenario, long seed, boolean keepTimeline) {
        return run(scenario, seed, worlds.make(scenario, seed, keepTimeline));
    }

    /** Runs in a world made before, so that it can be looked at afterwards. */
    public Outcomes run(Scenario scenario, long seed, SimulatedWorld world) {
        List<Problem> problems = new ArrayList<>();
        scenario.expectations().forEach(expectation -> expectation.begin(world));
        int number = 0;
        for (Step step : scenario.steps()) {
            number++;
            world.kernel().trace().line(world.elapsed(), "story", step.describe());
            step.begin(world);
            if (!world.kernel().runUntil(new Look(world, step), step.within())) {
                problems.add(new Problem(
                        "step " + number,
                        step.describe() + ": not within " + step.within().toMillis() + " ms; " + step.instead(world)));
            }
            if (!world.violations().isEmpty() || !problems.isEmpty()) {
                break;
            }
        }
        if (problems.isEmpty() && world.violations().isEmpty()) {
            world.finish();
            judge(scenario, world, problems);
        }
        problems.addAll(0, world.violations());
        Kernel kernel = world.kernel();
        return new Outcomes(
                scenario,
                seed,
                ImmutableList.copyOf(problems),
                world.elapsed(),
                kernel.executed(),
                kernel.trace().hash(),
                kernel.trace().lines());
    }

    private static void judge(Scenario scenario, SimulatedWorld world, List<Problem> problems) {
        int number = 0;
        for (Expectation expectation : scenario.expectations()) {
            number++;
            int id = number;
            expectation
                    .violated(world)
                    .ifPresent(found -> problems.add(
                            new Problem("expect " + id, expectation.describe() + " was expected; " + found)));
        }
        for (Fault fault : world.missedFaults()) {
            problems.add(new Problem("fault", fault.describe() + " never struck: no such request was sent"));
        }
        for (String word : world.missedStrikes()) {
            problems.add(new Problem("fault", word + " was injected and never hit anything"));
        }
    }

    /** Asks a step whether it is done, only when something has changed. */
    private static final class Look implements BooleanSupplier {

        private final SimulatedWorld world;
        private final Step step;
        private long seen = -1;
        private Duration next = Duration.ZERO;

        Look(SimulatedWorld world, Step step) {
            this.world = world;
            this.step = step;
        }

        @Override
        public boolean getAsBoolean() {
            if (!world.violations().isEmpty()) {
                return true;
            }
            if (step instanceof Waits.Pass) {
                return step.done(world);
            }
            long version = world.version() + (step.seesCalls() ? world.requests() : 0);
            if (version == seen || world.elapsed().compareTo(next) < 0) {
                return false;
            }
            seen = version;
            next = world.elapsed().plus(LOOK);
            return step.done(world);
        }
    }
}
