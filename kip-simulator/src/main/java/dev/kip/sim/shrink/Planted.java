package dev.kip.sim.shrink;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.fuzz.Fuzz;
import dev.kip.sim.planted.PlantedBug;
import dev.kip.sim.planted.Plants;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Library;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How well planted bugs' stories shrink. */
public final class Planted {

    /** Histories drawn for each bug, at most. */
    public static final int SEEDS = 60;

    private final List<Integer> steps = new ArrayList<>();
    private final List<Double> seconds = new ArrayList<>();

    /**
     * A story that fails by a planted bug.
     *
     * @param replay empty if no drawn history showed it
     */
    public record Case(String bug, Optional<Replay> replay) {}

    /**
     * One at a time, as they are asked for.
     *
     * @param names of bugs; all if empty
     * @param drawn whether a history is drawn that shows the bug, instead of the story in which it is caught
     */
    public static Iterable<Case> cases(List<String> names, boolean drawn) throws YamlProblem, IOException {
        ImmutableList.Builder<Case> own = ImmutableList.builder();
        List<PlantedBug> bugs = new ArrayList<>();
        for (PlantedBug bug : Plants.all()) {
            if (names.isEmpty() || names.contains(bug.name())) {
                if (!onMachines(bug)) {
                    bugs.add(bug);
                }
                if (!drawn) {
                    own.add(new Case(
                            bug.name(),
                            Optional.of(new Replay(
                                    StoryFile.find(bug.caughtIn()), 1, Optional.of(bug.name()), Optional.empty()))));
                }
            }
        }
        return drawn ? () -> bugs.stream().map(Planted::draw).iterator() : own.build();
    }

    /** Histories of controllers are drawn: none has machines of a plane. */
    private static boolean onMachines(PlantedBug bug) throws YamlProblem, IOException {
        return Library.find(bug.caughtIn()).given().nodes().isPresent();
    }

    private static Case draw(PlantedBug bug) {
        Optional<Replay> shown = Stream.iterate(1, seed -> seed <= SEEDS, seed -> seed + 1)
                .map(seed -> Fuzz.replay(Fuzz.SWARM, Integer.toString(seed), Optional.of(bug.name())))
                .filter(replay -> !replay.tell(false).passed()
                        && replay.withoutPlant().tell(false).passed())
                .findFirst();
        return new Case(bug.name(), shown);
    }

    public void add(int stepsLeft, double took) {
        steps.add(stepsLeft);
        seconds.add(took);
    }

    public boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Medians and extremes. */
    public String summary() {
        if (steps.isEmpty()) {
            return "nothing was shrunk";
        }
        Collections.sort(steps);
        Collections.sort(seconds);
        return String.format(
                Locale.ROOT,
                "%d shrunk: median %d steps (most %d), median %.1f s (most %.1f s)",
                steps.size(),
                steps.get(steps.size() / 2),
                steps.get(steps.size() - 1),
                seconds.get(seconds.size() / 2),
                seconds.get(seconds.size() - 1));
    }
}
