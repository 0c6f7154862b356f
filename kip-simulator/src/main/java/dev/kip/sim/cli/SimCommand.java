package dev.kip.sim.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.common.collect.ImmutableList;
import dev.kip.sim.cell.CellsCommand;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.planted.PlantedBug;
import dev.kip.sim.planted.Plants;
import dev.kip.sim.replay.Failures;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.report.Json;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioSchema;
import dev.kip.sim.scenario.Sweep;
import dev.kip.sim.shrink.Shrinker;
import dev.kip.sim.wall.WorldKind;
import dev.kip.sim.world.Worlds;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim}: scenarios in virtual time. */
@Command(
        name = "sim",
        subcommands = {
            CellsCommand.class,
            FaultsCommand.class,
            FuzzCommand.class,
            MatrixCommand.class,
            MergeCommand.class,
            MutantsCommand.class,
            ReplayCommand.class,
            ShrinkCommand.class
        },
        description = "Scenarios in the deterministic simulator.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim list",
            "  ./kip sim run pod-to-gone --seed 7",
            "  ./kip sim run my-story.yaml -o json",
            "  ./kip sim run pod-to-gone --format html > report.html",
            "  ./kip sim sweep pod-to-gone",
            "  ./kip sim run copied-tags --plant without-g1",
            "  ./kip sim run pod-to-gone --world real",
            "  ./kip sim run pod-to-gone --world mock --cloud http://127.0.0.1:4566",
            "  ./kip sim matrix --worlds simulated,mock",
            "  ./kip sim mutants",
            "",
            "Exit codes: 0 every story ended as expected, 1 one did not, 2 wrong usage, a broken file or missing programs,",
            "3 a world did not carry all of a story."
        })
final class SimCommand {

    private static final int PROGRESS_EVERY = 5;

    @Spec
    private CommandSpec spec;

    /** What the processes of a world log is part of no story; a bug still shows. */
    static void quieten() {
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    }

    /** How results are printed. */
    enum Format {
        TEXT,
        JSON
    }

    @Command(name = "list", description = "The scenarios that ship.", mixinStandardHelpOptions = true)
    int list(
            @Parameters(arity = "0..1", paramLabel = "GROUP", description = "only this one, such as \"node power\"")
                    Optional<String> group,
            @Option(names = "-o", description = "text or json", defaultValue = "text") Format format) {
        PrintWriter out = spec.commandLine().getOut();
        ImmutableList<Scenario> scenarios = Library.names().stream()
                .filter(name ->
                        group.map(wanted -> wanted.equals(Library.group(name))).orElse(true))
                .map(SimCommand::find)
                .collect(ImmutableList.toImmutableList());
        if (scenarios.isEmpty()) {
            throw new UsageProblem("there is no group \"" + group.orElse("") + "\"."
                    + Suggestion.didYouMean(group.orElse(""), Library.groups()) + " Known: "
                    + String.join(", ", Library.groups()));
        }
        if (format == Format.JSON) {
            out.println(Reports.list(scenarios));
        } else {
            int width =
                    scenarios.stream().mapToInt(s -> s.name().length()).max().orElse(0);
            for (String one : Library.groups()) {
                ImmutableList<Scenario> its = scenarios.stream()
                        .filter(s -> Library.group(s.name()).equals(one))
                        .collect(ImmutableList.toImmutableList());
                if (!its.isEmpty()) {
                    out.println(one + " (" + its.size() + ")");
                    its.forEach(s -> out.printf(Locale.ROOT, "  %-" + width + "s  %s%n", s.name(), s.title()));
                }
            }
        }
        return 0;
    }

    @Command(
            name = "schema",
            description = "The JSON schema of scenario files, for editors.",
            mixinStandardHelpOptions = true)
    int schema() {
        spec.commandLine().getOut().print(ScenarioSchema.text());
        spec.commandLine().getOut().flush();
        return 0;
    }

    @Command(name = "show", description = "A scenario's or a replay's file.", mixinStandardHelpOptions = true)
    int show(
            @Parameters(paramLabel = "NAME|FILE", description = "a scenario that ships, or a file") String name,
            @Option(names = "-o", description = "text or json", defaultValue = "text") Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (format == Format.JSON) {
            ReplayCommand.read(name); // wrong words are told
            out.println(Json.of(story(name).root()));
        } else {
            out.print(
                    Library.names().contains(name)
                            ? Library.text(name)
                            : story(name).text());
        }
        out.flush();
        return 0;
    }

    @Command(name = "run", description = "Runs stories and prints what happened.", mixinStandardHelpOptions = true)
    int run(
            @Parameters(arity = "1..*", paramLabel = "NAME|FILE", description = "scenarios that ship, or files")
                    List<String> names,
            @Option(names = "--seed", description = "the seed, default ${DEFAULT-VALUE}", defaultValue = "1") long seed,
            @Option(names = "--seeds", description = "so many seeds from --seed on", defaultValue = "1") int seeds,
            @Option(names = "--quiet", description = "no timeline") boolean quiet,
            @Option(
                            names = "--plant",
                            paramLabel = "BUG",
                            description = "the controllers have this bug; see: kip sim mutants --list")
                    Optional<String> plant,
            @Option(
                            names = {"-o", "--format"},
                            description = "text, json, html (a page that needs nothing else) or junit",
                            defaultValue = "text")
                    RunFormat format,
            @Option(
                            names = "--world",
                            paramLabel = "simulated|mock|real",
                            description =
                                    "where the story is told, default ${DEFAULT-VALUE}: in virtual time, or in wall time on a"
                                            + " mock server or a real kube-apiserver, with controllers as processes",
                            defaultValue = "simulated")
                    WorldKind world,
            @Mixin WorldOptions worldOptions) {
        if (world != WorldKind.SIMULATED) {
            if (plant.isPresent() || seeds > 1 || format == RunFormat.HTML || format == RunFormat.JUNIT) {
                throw new UsageProblem("--plant, --seeds and the formats html and junit are of the world simulated;"
                        + " leave them out, or leave out --world " + world);
            }
            quieten();
            return new WallRuns(
                            world,
                            worldOptions,
                            format == RunFormat.JSON,
                            quiet,
                            spec.commandLine().getOut())
                    .run(names);
        }
        if (seeds < 1) {
            throw new UsageProblem("--seeds " + seeds + " runs nothing: give 1 or more");
        }
        if (format == RunFormat.HTML && (seeds > 1 || names.size() > 1)) {
            throw new UsageProblem("a page shows one run: give one scenario and one --seed");
        }
        quieten();
        PrintWriter out = spec.commandLine().getOut();
        plant.ifPresent(SimCommand::bug);
        ImmutableList.Builder<Outcomes> runs = ImmutableList.builder();
        boolean passed = true;
        for (String name : names) {
            find(name); // wrong words are told
            StoryFile story = story(name).with("replay", Optional.empty());
            for (long s = seed; s < seed + seeds; s++) {
                RunFormat.Printed run = format.tell(new Replay(story, s, plant, Optional.empty()), !quiet);
                passed &= run.outcomes().passed();
                runs.add(run.outcomes());
                if (format != RunFormat.JUNIT) {
                    out.println(run.text());
                    out.flush();
                }
            }
        }
        if (format == RunFormat.JUNIT) {
            out.print(RunFormat.suite(runs.build()));
            out.flush();
        }
        return passed ? 0 : 1;
    }

    @Command(
            name = "sweep",
            description = "Tells a story again with a fault at every request of the controller that changes something.",
            mixinStandardHelpOptions = true)
    int sweep(
            @Parameters(arity = "1..*", paramLabel = "NAME|FILE", description = "scenarios that ship, or files")
                    List<String> names,
            @Option(names = "--seed", description = "the seed, default ${DEFAULT-VALUE}", defaultValue = "1") long seed,
            @Option(
                            names = "--failures",
                            paramLabel = "DIR",
                            description = "where replay files go, default ${DEFAULT-VALUE}",
                            defaultValue = "kip-failures")
                    Path failures,
            @Option(names = "--verbose", description = "print the timeline of what failed") boolean verbose) {
        quieten();
        Failures folder = new Failures(failures);
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter progress = spec.commandLine().getErr();
        boolean passed = true;
        for (String name : names) {
            Scenario scenario = find(name);
            Sweep.Result result = new Sweep(Worlds::make).run(scenario, seed, swept -> {
                if (!swept.outcomes().passed()) {
                    progress.println(scenario.name() + ", " + swept.name() + ": FAILED");
                } else if (swept.request() % PROGRESS_EVERY == 0 && swept.fate() == Fate.REPLY_LOST) {
                    progress.println(scenario.name() + ": request " + swept.request() + " swept");
                }
                progress.flush();
            });
            passed &= result.failed().isEmpty();
            out.printf(
                    Locale.ROOT,
                    "%s: %d requests, %d runs, %d failed%n",
                    scenario.name(),
                    result.requests(),
                    result.cases().size(),
                    result.failed().size());
            for (Sweep.Case failed : result.failed()) {
                out.println("  " + failed.name());
                failed.outcomes().problems().forEach(p -> out.println("    " + p.id() + ": " + p.text()));
                Replay replay = Replay.ofSweep(story(name), failed);
                Failures.Kept kept = folder.keep(replay);
                out.println("    again: ./kip sim replay " + kept.file());
                if (kept.isNew()) {
                    Shrinker.shrink(replay, ShrinkCommand.deadline(60))
                            .ifPresent(shorter -> out.println("    short: "
                                    + folder.keepShort(shorter.replay()).story()));
                }
                if (verbose) {
                    out.println(Reports.text(failed.outcomes()));
                }
            }
            out.flush();
        }
        return passed ? 0 : 1;
    }

    private static PlantedBug bug(String name) {
        return Plants.find(name)
                .orElseThrow(() -> new UsageProblem("there is no bug \"" + name + "\" to plant."
                        + Suggestion.didYouMean(
                                name,
                                Plants.all().stream().map(PlantedBug::name).collect(ImmutableList.toImmutableList()))
                        + " See: kip sim mutants --list"));
    }

    static StoryFile story(String nameOrFile) {
        try {
            return StoryFile.find(nameOrFile);
        } catch (YamlProblem | IOException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    static Scenario find(String nameOrFile) {
        try {
            return Library.find(nameOrFile);
        } catch (YamlProblem | IOException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    /** {@code 1m 02.345s} */
    static String clock(Duration time) {
        return String.format(
                Locale.ROOT, "%2dm %02d.%03ds", time.toMinutes(), time.toSecondsPart(), time.toMillisPart());
    }
}
