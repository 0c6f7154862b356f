package dev.kip.real;

import dev.kip.real.Bounded.Look;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.Step;
import dev.kip.sim.scenario.World;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Tells a scenario of the simulator on real parts: the same steps and expectations, against the wall clock. */
final class RealStory {
    /** Stories allow for EC2's time; what takes longer than this here will not come. */
    private static final Duration MOST = Duration.ofMinutes(3);

    /** Machines that do other things too are slower than any that a story's author thinks of. */
    private static final Duration LEAST = Duration.ofMinutes(2);

    private static final Duration SETTLING = Duration.ofMinutes(1);

    private final World world;
    private final Runnable meanwhile;
    private final Consumer<String> told;

    /**
     * @param meanwhile called between looks; may throw to end the story
     * @param told what happens, line by line
     */
    RealStory(World world, Runnable meanwhile, Consumer<String> told) {
        this.world = world;
        this.meanwhile = meanwhile;
        this.told = told;
    }

    /** Ends when every expectation holds; throws an AssertionError that says what does not. */
    void tell(Scenario scenario) {
        scenario.expectations().forEach(expectation -> expectation.begin(world));
        for (Step step : scenario.steps()) {
            step.begin(world);
            Duration within = Collections.max(List.of(LEAST, Collections.min(List.of(step.within(), MOST))));
            Bounded.await(step.describe(), within, () -> {
                meanwhile.run();
                return step.done(world) ? Look.at(true) : Look.notYet(step.instead(world));
            });
            told.accept("%6.1fs %s".formatted(world.elapsed().toMillis() / 1000.0, step.describe()));
        }
        // The last step's own traces may be on their way out still.
        Bounded.await("every expectation", SETTLING, () -> {
            String violated = scenario.expectations().stream()
                    .flatMap(expectation ->
                            expectation
                                    .violated(world)
                                    .map(found -> expectation.describe() + " was expected; " + found)
                                    .stream())
                    .collect(Collectors.joining("\n"));
            return Look.holds(violated.isEmpty(), violated);
        });
    }
}
