package dev.kip.sim.cli;

import dev.kip.sim.replay.Failures;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.shrink.Planted;
import dev.kip.sim.shrink.Shrinker;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim shrink}. */
@Command(
        name = "shrink",
        description = "Makes a story that fails as short as it can be while it fails the same way.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim shrink kip-failures/i9-launches-per-attempt-1f0c22ab.yaml",
            "  ./kip sim shrink my-story.yaml --seed 3",
            "  ./kip sim shrink --planted                # the story of each planted bug",
            "  ./kip sim shrink --planted --drawn        # the first drawn history that shows each planted bug",
            "",
            "Beside FILE.yaml come FILE.min.yaml and a JUnit test.",
            "Exit codes: 0 it was made shorter, 1 it does not fail, 2 wrong usage or a broken file."
        })
final class ShrinkCommand implements Callable<Integer> {

    private static final long SECOND = 1_000_000_000L;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "replay files, or scenarios with --seed; with --planted names of bugs")
    private List<String> files = List.of();

    @Option(names = "--seed", description = "of a scenario that is no replay file")
    private Optional<Long> seed = Optional.empty();

    @Option(names = "--seconds", description = "for each, at most; default ${DEFAULT-VALUE}", defaultValue = "60")
    private int seconds;

    @Option(names = "--planted", description = "shrinks how each planted bug fails, and tells the median")
    private boolean planted;

    @Option(
            names = "--drawn",
            description = "with --planted: not the bug's own story, but the first drawn history that fails by it")
    private boolean drawn;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where the short story and the test go, default ${DEFAULT-VALUE}",
            defaultValue = "kip-failures")
    private Path out = Path.of("kip-failures");

    @Override
    public Integer call() throws YamlProblem, IOException {
        SimCommand.quieten();
        if (planted) {
            return planted();
        }
        if (files.isEmpty()) {
            throw new UsageProblem("what is shrunk? Give a replay file, or --planted");
        }
        boolean all = true;
        for (String file : files) {
            Replay read = ReplayCommand.read(file);
            Replay replay = seed.isPresent() ? new Replay(read.story(), seed.get(), read.plant(), read.fails()) : read;
            all &= one(replay, file);
        }
        return all ? 0 : 1;
    }

    private boolean one(Replay replay, String name) {
        PrintWriter writer = spec.commandLine().getOut();
        long began = System.nanoTime();
        Optional<Shrinker.Result> shrunk = Shrinker.shrink(replay, deadline(seconds));
        if (shrunk.isEmpty()) {
            writer.println(name + ": does not fail with seed " + replay.seed()
                    + (replay.plant().isPresent() ? " by its planted bug alone" : ""));
            writer.flush();
            return false;
        }
        Shrinker.Result result = shrunk.get();
        Failures.Shortened files = new Failures(out).keepShort(result.replay());
        writer.print(result.replay().text());
        writer.printf(
                Locale.ROOT,
                "%n%s: %d steps of %d, %d stories told in %.1f s%s%n  %s%n  %s%n",
                name,
                result.stepsAfter(),
                result.stepsBefore(),
                result.tries(),
                (System.nanoTime() - began) / (double) SECOND,
                result.whole() ? "" : ", not to the end: give more --seconds",
                files.story(),
                files.test());
        writer.flush();
        return true;
    }

    static java.util.function.BooleanSupplier deadline(int seconds) {
        long end = System.nanoTime() + seconds * SECOND;
        return () -> System.nanoTime() > end;
    }

    private int planted() throws YamlProblem, IOException {
        PrintWriter writer = spec.commandLine().getOut();
        Planted all = new Planted();
        for (Planted.Case one : Planted.cases(files, drawn)) {
            if (one.replay().isEmpty()) {
                writer.printf(Locale.ROOT, "%-34s not shown by %d drawn histories%n", one.bug(), Planted.SEEDS);
                writer.flush();
                continue;
            }
            long began = System.nanoTime();
            Optional<Shrinker.Result> shrunk = Shrinker.shrink(one.replay().get(), deadline(seconds));
            double took = (System.nanoTime() - began) / (double) SECOND;
            if (shrunk.isEmpty()) {
                writer.printf(Locale.ROOT, "%-34s does not fail by its planted bug alone%n", one.bug());
            } else {
                Shrinker.Result result = shrunk.get();
                all.add(result.stepsAfter(), took);
                new Failures(out).keepShort(result.replay());
                writer.printf(
                        Locale.ROOT,
                        "%-34s seed %-4d %2d -> %2d steps  %3d tries  %5.1f s%s  %s%n",
                        one.bug(),
                        result.replay().seed(),
                        result.stepsBefore(),
                        result.stepsAfter(),
                        result.tries(),
                        took,
                        result.whole() ? "" : " (cut off)",
                        result.replay().fails().map(p -> p.id()).orElse(""));
            }
            writer.flush();
        }
        writer.println(all.summary());
        writer.flush();
        return all.isEmpty() ? 1 : 0;
    }
}
