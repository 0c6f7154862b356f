package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim replay}. */
@Command(
        name = "replay",
        description = "Tells a kept run again, bit for bit, and says whether it fails as it did.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim replay kip-failures/i9-launches-per-attempt-1f0c22ab.yaml",
            "  ./kip sim replay FILE -o json",
            "  ./kip sim replay FILE --format html > report.html",
            "",
            "Exit codes: 0 it ends well now, 1 it fails, 2 wrong usage or a broken file."
        })
final class ReplayCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "a replay file; a scenario is told with seed 1")
    private String file = "";

    @Option(names = "--quiet", description = "no timeline")
    private boolean quiet;

    @Option(
            names = {"-o", "--format"},
            description = "text, json, html (a page that needs nothing else) or junit",
            defaultValue = "text")
    private RunFormat format = RunFormat.TEXT;

    @Override
    public Integer call() {
        SimCommand.quieten();
        Replay replay = read(file);
        RunFormat.Printed run = format.tell(replay, !quiet);
        Outcomes outcomes = run.outcomes();
        PrintWriter out = spec.commandLine().getOut();
        if (format == RunFormat.JUNIT) {
            out.print(RunFormat.suite(ImmutableList.of(outcomes)));
        } else {
            out.println(run.text());
            if (format == RunFormat.TEXT && replay.fails().isPresent()) {
                out.println(
                        replay.reproducedBy(outcomes)
                                ? "It fails as it did when it was kept."
                                : outcomes.passed()
                                        ? "It does not fail any more: when it was kept, "
                                                + replay.fails().get().id() + "."
                                        : "It fails otherwise than when it was kept: then "
                                                + replay.fails().get().id() + ": "
                                                + replay.fails().get().text());
            }
        }
        out.flush();
        return outcomes.passed() ? 0 : 1;
    }

    static Replay read(String file) {
        try {
            return Replay.find(file);
        } catch (YamlProblem | IOException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }
}
