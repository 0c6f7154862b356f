package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Expectation;
import dev.kip.sim.scenario.Fault;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.Step;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** Tells stories in wall time: the same steps and expectations as in virtual time, looked at again and again. */
public final class WallRunner {

    /** Stories allow for EC2's time; what takes longer than this here will not come. */
    private static final Duration MOST = Duration.ofMinutes(3);

    /** Machines that do other things too are slower than any that a story's author thinks of. */
    private static final Duration LEAST = Duration.ofMinutes(2);

    /** The last step's own traces may be on their way out still. */
    private static final Duration SETTLING = Duration.ofSeconds(45);

    private final WorldKind kind;
    private final WallParts parts;
    private final Pace pace;
    private final Path folder;
    private final Consumer<Trace.Line> live;

    /**
     * @param folder where each run keeps its files, the logs among them
     * @param live told what happens as it does
     */
    public WallRunner(WorldKind kind, WallParts parts, Pace pace, Path folder, Consumer<Trace.Line> live) {
        this.kind = kind;
        this.parts = parts;
        this.pace = pace;
        this.folder = folder;
        this.live = live;
    }

    /**
     * Tells as much of the story as the world carries.
     *
     * @throws IOException if the world cannot be started
     * @throws YamlProblem if the story's words are wrong
     */
    public WallOutcome tell(StoryFile story) throws IOException, YamlProblem {
        Carriage.Told told = Carriage.of(story);
        if (!told.possible()) {
            Scenario scenario = story.scenario();
            return new WallOutcome(
                    scenario.name(),
                    scenario.title(),
                    kind,
                    told.lacking(),
                    ImmutableList.of(),
                    Duration.ZERO,
                    ImmutableList.of());
        }
        Scenario scenario = pace.applied(told.story()).scenario();
        long began = System.nanoTime();
        List<Trace.Line> timeline = Collections.synchronizedList(new ArrayList<>());
        Lines lines = (actor, text) -> {
            Trace.Line line = new Trace.Line(Duration.ofNanos(System.nanoTime() - began), actor, text);
            timeline.add(line);
            live.accept(line);
        };
        List<Problem> problems = new ArrayList<>();
        Path place = folder.resolve(scenario.name() + "-" + kind);
        clear(place);
        try (WallWorld world = WallWorld.begin(kind, parts, place, scenario, text -> lines.add("world", text))) {
            tell(scenario, world, problems, lines);
            if (!problems.isEmpty()) {
                world.lastWords().forEach(words -> lines.add("log", words));
            }
        }
        return new WallOutcome(
                scenario.name(),
                scenario.title(),
                kind,
                told.lacking(),
                ImmutableList.copyOf(problems),
                Duration.ofNanos(System.nanoTime() - began),
                ImmutableList.copyOf(timeline));
    }

    /** What an earlier run of this story in this world left. */
    private static void clear(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            MoreFiles.deleteRecursively(place, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    private interface Lines {
        void add(String actor, String text);
    }

    private static void tell(Scenario scenario, WallWorld world, List<Problem> problems, Lines lines) {
        scenario.expectations().forEach(expectation -> expectation.begin(world));
        int number = 0;
        for (Step step : scenario.steps()) {
            number++;
            lines.add("story", step.describe());
            try {
                step.begin(world);
                await(world, step, number, problems);
            } catch (IllegalStateException | UncheckedIOException | UnsupportedOperationException refused) {
                problems.add(new Problem("step " + number, step.describe() + ": " + refused.getMessage()));
            }
            violated(world, problems);
            if (!problems.isEmpty()) {
                return;
            }
        }
        judge(scenario, world, problems);
        violated(world, problems);
    }

    private static void await(WallWorld world, Step step, int number, List<Problem> problems) {
        Duration within = Collections.max(List.of(LEAST, Collections.min(List.of(step.within(), MOST))));
        long began = System.nanoTime();
        while (!isDone(step, world)) {
            if (System.nanoTime() - began > within.toNanos() && !isWait(step, world)) {
                problems.add(new Problem(
                        "step " + number,
                        step.describe() + ": not within " + within.toSeconds() + " s; " + step.instead(world)));
                return;
            }
            Patience.pause();
        }
    }

    /** Not while a server is too busy to answer: it is asked again. */
    private static boolean isDone(Step step, WallWorld world) {
        try {
            return step.done(world);
        } catch (UncheckedIOException busy) {
            return false;
        }
    }

    /** A wait ends by itself, however long it is. */
    private static boolean isWait(Step step, WallWorld world) {
        return step.instead(world).isEmpty();
    }

    private static void violated(WallWorld world, List<Problem> problems) {
        world.violations().forEach(text -> problems.add(new Problem("cells", text)));
    }

    private static void judge(Scenario scenario, WallWorld world, List<Problem> problems) {
        long began = System.nanoTime();
        while (true) {
            ImmutableList<Problem> violated = violatedExpectations(scenario, world);
            if (violated.isEmpty() || System.nanoTime() - began > SETTLING.toNanos()) {
                problems.addAll(violated);
                break;
            }
            Patience.pause();
        }
        for (Fault fault : world.missedFaults()) {
            problems.add(new Problem("fault", fault.describe() + " never struck: no such request was sent"));
        }
    }

    private static ImmutableList<Problem> violatedExpectations(Scenario scenario, WallWorld world) {
        ImmutableList.Builder<Problem> violated = ImmutableList.builder();
        int number = 0;
        for (Expectation expectation : scenario.expectations()) {
            number++;
            String id = "expect " + number;
            expectation
                    .violated(world)
                    .ifPresent(
                            found -> violated.add(new Problem(id, expectation.describe() + " was expected; " + found)));
        }
        return violated.build();
    }
}
