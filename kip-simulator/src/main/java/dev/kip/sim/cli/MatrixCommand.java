package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.wall.Carriage;
import dev.kip.sim.wall.Matrix;
import dev.kip.sim.wall.MatrixPage;
import dev.kip.sim.wall.WallOutcome;
import dev.kip.sim.wall.WallParts;
import dev.kip.sim.wall.WallRunner;
import dev.kip.sim.wall.WorldKind;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.LocalDate;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim matrix}: scenarios by worlds. */
@Command(
        name = "matrix",
        description = "Runs scenarios in several worlds and shows what came of each; goes on where it was ended.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim matrix --worlds simulated",
            "  ./kip sim matrix pod-to-gone controller-restarts",
            "  ./kip sim matrix --jobs 3 --page > docs/reference/scenario-worlds.md",
            "  ./kip sim matrix --kept -o json",
            "",
            "Exit codes: 0 all that was told whole passed, 1 one did not, 2 wrong usage or missing programs."
        })
final class MatrixCommand implements Callable<Integer> {

    private static final double MILLIS = 1000.0;

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "scenarios that ship; all if none is named")
    private List<String> names = List.of();

    @Option(
            names = "--worlds",
            split = ",",
            paramLabel = "WORLD",
            description = "simulated, mock, real; all if not said",
            defaultValue = "simulated,mock,real")
    private List<WorldKind> worlds = List.of();

    @Option(names = "--jobs", description = "so many at a time, default ${DEFAULT-VALUE}", defaultValue = "2")
    private int jobs;

    @Option(names = "--fresh", description = "tells again what was told before")
    private boolean fresh;

    @Option(names = "--kept", description = "runs nothing and shows what is kept of earlier runs")
    private boolean kept;

    @Option(names = "--page", description = "prints the page of the docs instead of a table")
    private boolean page;

    @Option(names = "-o", description = "text or json", defaultValue = "text")
    private SimCommand.Format format = SimCommand.Format.TEXT;

    @Mixin
    private WorldOptions options;

    private final Map<WorldKind, WallParts> parts = new EnumMap<>(WorldKind.class);

    private record Task(String name, WorldKind world) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (jobs < 1) {
            throw new UsageProblem("--jobs " + jobs + " runs nothing: give 1 or more");
        }
        SimCommand.quieten();
        ImmutableList<String> scenarios = names.isEmpty() ? Library.names() : ImmutableList.copyOf(names);
        scenarios.forEach(SimCommand::find); // wrong words are told
        Matrix matrix = Matrix.open(options.data().resolve("matrix.json"));
        if (!kept) {
            for (WorldKind world : worlds) {
                if (world != WorldKind.SIMULATED) {
                    parts.put(world, options.parts(world));
                }
            }
            runAll(scenarios, matrix);
        }
        print(scenarios, matrix);
        boolean failed = scenarios.stream()
                .anyMatch(name -> worlds.stream()
                        .anyMatch(world -> matrix.find(name, world)
                                .map(entry -> entry.result().equals("failed"))
                                .orElse(false)));
        return failed ? 1 : 0;
    }

    private void runAll(ImmutableList<String> scenarios, Matrix matrix) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(jobs);
        try {
            ImmutableList.Builder<Future<?>> running = ImmutableList.builder();
            for (String name : scenarios) {
                for (WorldKind world : worlds) {
                    if (fresh
                            || !matrix.find(name, world)
                                    .map(Matrix.Entry::passed)
                                    .orElse(false)) {
                        running.add(pool.submit(() -> tell(new Task(name, world), matrix)));
                    }
                }
            }
            for (Future<?> one : running.build()) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private void tell(Task task, Matrix matrix) {
        PrintWriter progress = spec.commandLine().getErr();
        Matrix.Entry entry = told(task);
        try {
            matrix.add(entry);
        } catch (IOException e) {
            throw new UncheckedIOException("what came of it cannot be kept", e);
        }
        progress.printf(
                Locale.ROOT,
                "%-10s %-9s %s, %.1f s%s%n",
                entry.result(),
                entry.world(),
                entry.scenario(),
                entry.millis() / MILLIS,
                entry.problems().isEmpty() ? "" : ": " + entry.problems());
        progress.flush();
    }

    /** A world that cannot be started fails its story, not the others. */
    private Matrix.Entry told(Task task) {
        try {
            return task.world() == WorldKind.SIMULATED ? inVirtualTime(task) : inWallTime(task);
        } catch (IOException | YamlProblem | UncheckedIOException | IllegalStateException e) {
            return entry(task, "failed", 0, ImmutableList.of(), ImmutableList.of(String.valueOf(e.getMessage())));
        }
    }

    private static Matrix.Entry inVirtualTime(Task task) {
        Outcomes outcomes =
                new Replay(SimCommand.story(task.name()), 1, Optional.empty(), Optional.empty()).tell(false);
        return entry(
                task,
                outcomes.passed() ? "passed" : "failed",
                outcomes.took().toMillis(),
                ImmutableList.of(),
                outcomes.problems().stream()
                        .map(problem -> problem.id() + ": " + problem.text())
                        .collect(ImmutableList.toImmutableList()));
    }

    /** What is not carried whole is named and not told: no verdict would come of it. */
    private Matrix.Entry inWallTime(Task task) throws IOException, YamlProblem {
        StoryFile story = SimCommand.story(task.name());
        Carriage.Told told = Carriage.of(story);
        if (!told.whole()) {
            return entry(
                    task,
                    "partial",
                    0,
                    told.lacking().stream().map(Carriage.Lack::toString).collect(ImmutableList.toImmutableList()),
                    ImmutableList.of());
        }
        WallOutcome outcome = new WallRunner(
                        task.world(),
                        Optional.ofNullable(parts.get(task.world())).orElseThrow(),
                        options.pace(),
                        options.data(),
                        line -> {})
                .tell(story);
        return entry(
                task,
                outcome.result().name().toLowerCase(Locale.ROOT),
                outcome.took().toMillis(),
                ImmutableList.of(),
                outcome.problems().stream()
                        .map(problem -> problem.id() + ": " + problem.text())
                        .collect(ImmutableList.toImmutableList()));
    }

    private static Matrix.Entry entry(
            Task task, String result, long millis, ImmutableList<String> notCarried, ImmutableList<String> problems) {
        return new Matrix.Entry(
                task.name(),
                task.world(),
                result,
                millis,
                notCarried,
                problems,
                LocalDate.now(Clock.systemUTC()).toString(),
                Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name", "") + " "
                        + System.getProperty("os.arch", "") + ", JDK "
                        + Runtime.version().feature());
    }

    private void print(ImmutableList<String> scenarios, Matrix matrix) {
        PrintWriter out = spec.commandLine().getOut();
        if (page) {
            out.print(MatrixPage.text(matrix, scenarios, ImmutableList.copyOf(worlds)));
        } else if (format == SimCommand.Format.JSON) {
            out.println(matrix.json());
        } else {
            int width = scenarios.stream().mapToInt(String::length).max().orElse(0);
            for (String name : scenarios) {
                out.printf(Locale.ROOT, "%-" + width + "s", name);
                for (WorldKind world : worlds) {
                    out.printf(
                            Locale.ROOT,
                            "  %s %-8s",
                            world,
                            matrix.find(name, world).map(Matrix.Entry::result).orElse(""));
                }
                out.println();
            }
        }
        out.flush();
    }
}
