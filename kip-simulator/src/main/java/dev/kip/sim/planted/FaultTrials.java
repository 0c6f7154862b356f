package dev.kip.sim.planted;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.faults.FaultKind;
import dev.kip.sim.faults.FaultStory;
import dev.kip.sim.faults.Strike;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.sim.world.Parts;
import dev.kip.sim.world.SimWorld;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Tells each kind of fault its story, and the same story without the fault. */
public final class FaultTrials {

    /** A story that takes so much longer is another story. */
    private static final Duration NOTICED = Duration.ofSeconds(2);

    private static final int MOST_SAID = 3;

    private final long seed;
    private final Map<String, Told> twins = new TreeMap<>();

    public FaultTrials(long seed) {
        this.seed = seed;
    }

    /**
     * How it went.
     *
     * @param hits how often it struck
     * @param mattered what was otherwise than in the story without it; empty if nothing was
     * @param problem why the trial does not show what it should; empty if it does
     */
    public record FaultTrial(FaultKind kind, int hits, Optional<String> mattered, Optional<String> problem) {}

    public FaultTrial of(FaultKind kind) {
        Told twin = twins.computeIfAbsent(FaultStory.twin(kind), text -> tell(text, kind, Parts.RIGHT));
        Told struck = tell(FaultStory.of(kind), kind, Parts.RIGHT);
        int hits = struck.world.strikes().stream().mapToInt(Strike::hits).sum();
        Optional<String> mattered =
                kind.tellsApart().isPresent() ? apart(kind, kind.tellsApart().get()) : difference(twin, struck);
        return new FaultTrial(kind, hits, mattered, problem(twin, struck, hits, mattered));
    }

    private record Told(SimWorld world, Outcomes outcomes) {}

    private Told tell(String text, FaultKind kind, Parts parts) {
        Scenario scenario;
        try {
            scenario = ScenarioReader.read(kind.word() + ".yaml", text);
        } catch (YamlProblem e) {
            throw new IllegalStateException("the story of " + kind.word() + " is none", e);
        }
        SimWorld world = SimWorld.make(scenario, seed, true, parts);
        try {
            return new Told(world, new Runner(SimWorld::make).run(scenario, seed, world));
        } catch (RuntimeException thrown) { // a process of production would have ended of it
            Outcomes.Problem problem = new Outcomes.Problem("exception", thrown + " at " + thrown.getStackTrace()[0]);
            return new Told(
                    world,
                    new Outcomes(
                            scenario,
                            seed,
                            ImmutableList.of(problem),
                            world.elapsed(),
                            world.kernel().executed(),
                            world.kernel().trace().hash(),
                            world.kernel().trace().lines()));
        }
    }

    private static Optional<String> problem(Told twin, Told struck, int hits, Optional<String> mattered) {
        if (!twin.outcomes.passed()) {
            return Optional.of(
                    "fails without it too: " + twin.outcomes.problems().get(0));
        }
        if (!struck.outcomes.passed()) {
            return Optional.of("is not overcome: " + struck.outcomes.problems().get(0));
        }
        if (hits == 0) {
            return Optional.of("hits nothing");
        }
        return mattered.isPresent() ? Optional.empty() : Optional.of("makes no difference");
    }

    /** A controller with that bug notices the fault, in the story in which a right one does not. */
    private Optional<String> apart(FaultKind kind, String bug) {
        PlantedBug planted = Plants.find(bug)
                .orElseThrow(() -> new IllegalStateException("there is no bug \"" + bug + "\" for " + kind.word()));
        Told without = tell(FaultStory.twin(kind), kind, planted.parts().get());
        Told with = tell(FaultStory.of(kind), kind, planted.parts().get());
        return difference(without, with).map(found -> "with the planted bug " + bug + " only: " + found);
    }

    private static Optional<String> difference(Told twin, Told struck) {
        Duration longer = struck.outcomes.took().minus(twin.outcomes.took());
        List<String> found = new ArrayList<>();
        if (longer.abs().compareTo(NOTICED) > 0) {
            found.add(longer.abs().toSeconds() + (longer.isNegative() ? " s shorter" : " s longer"));
        }
        compare(requests(twin.world, true), requests(struck.world, true), found);
        if (found.isEmpty()) { // in a story of another length there would be more or fewer in any case
            compare(requests(twin.world, false), requests(struck.world, false), found);
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", found));
    }

    private static void compare(Map<String, Long> before, Map<String, Long> after, List<String> found) {
        Map<String, Long> all = new TreeMap<>(before);
        after.forEach((action, count) -> all.merge(action, 0L, Long::sum));
        for (String action : all.keySet()) {
            long was = before.getOrDefault(action, 0L);
            long is = after.getOrDefault(action, 0L);
            if (was != is && found.size() < MOST_SAID) {
                found.add(action + " " + was + " -> " + is);
            }
        }
    }

    /** What the controllers asked for, and how often. */
    private static Map<String, Long> requests(SimWorld world, boolean changing) {
        Map<String, Long> changes = new TreeMap<>();
        for (Map.Entry<SimNetwork.Counted, Long> entry :
                world.network().counts().entrySet()) {
            if (entry.getKey().from().contains("kip-") && entry.getKey().mutating() == changing) {
                String to = entry.getKey().to().startsWith("cell/")
                        ? "cell"
                        : entry.getKey().to();
                changes.merge(to + " " + entry.getKey().action(), entry.getValue(), Long::sum);
            }
        }
        return changes;
    }
}
