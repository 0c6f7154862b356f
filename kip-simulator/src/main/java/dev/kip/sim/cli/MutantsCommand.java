package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.planted.InvariantsPage;
import dev.kip.sim.planted.PlantedBug;
import dev.kip.sim.planted.Plants;
import dev.kip.sim.planted.Trial;
import dev.kip.sim.replay.Failures;
import dev.kip.sim.replay.Replay;
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

/** {@code kip sim mutants}: every planted bug must be caught, in a story that passes without it. */
@Command(
        name = "mutants",
        description = "Plants each bug and shows whether its story catches it, and passes without it.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim mutants",
            "  ./kip sim mutants without-g1 no-write-ahead",
            "  ./kip sim mutants --list",
            "  ./kip sim mutants without-g1 --failures DIR      # then: ./kip sim shrink DIR/...",
            "",
            "Exit codes: 0 every bug is caught, 1 one is not, 2 wrong usage."
        })
final class MutantsCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "BUG", description = "all if none is named")
    private List<String> names = List.of();

    @Option(names = "--seed", description = "the seed, default ${DEFAULT-VALUE}", defaultValue = "1")
    private long seed;

    @Option(
            names = "--failures",
            paramLabel = "DIR",
            description = "keeps how each bug fails as a replay file there, to be shrunk or looked at")
    private Optional<Path> failures = Optional.empty();

    @Option(names = "--page", hidden = true, description = "prints the reference page of invariants")
    private boolean page;

    @Option(names = "--list", description = "only says what there is")
    private boolean list;

    @Override
    public Integer call() throws IOException {
        SimCommand.quieten();
        PrintWriter out = spec.commandLine().getOut();
        if (page) {
            out.print(InvariantsPage.text());
            out.flush();
            return 0;
        }
        boolean caught = true;
        for (PlantedBug bug : chosen()) {
            if (list) {
                out.printf(
                        Locale.ROOT,
                        "%-22s %s%n%-22s from: %s%n%-22s how: %s%n%-22s caught in %s by %s%n",
                        bug.name(),
                        bug.what(),
                        "",
                        bug.stemsFrom(),
                        "",
                        bug.how(),
                        "",
                        bug.caughtIn(),
                        bug.caughtBy());
                continue;
            }
            Trial trial = Trial.of(bug, SimCommand.find(bug.caughtIn()), seed);
            caught &= trial.right();
            failures.filter(folder -> !trial.with().passed())
                    .ifPresent(folder -> new Failures(folder)
                            .keep(Replay.of(SimCommand.story(bug.caughtIn()), trial.with(), Optional.of(bug.name()))));
            out.printf(
                    Locale.ROOT,
                    "%-10s %-24s in %-30s %s%n",
                    trial.right() ? "caught" : "NOT CAUGHT",
                    bug.name(),
                    bug.caughtIn(),
                    trial.says());
            out.flush();
        }
        return caught ? 0 : 1;
    }

    private ImmutableList<PlantedBug> chosen() {
        if (names.isEmpty()) {
            return Plants.all();
        }
        return names.stream()
                .map(name -> Plants.find(name)
                        .orElseThrow(() ->
                                new UsageProblem("there is no bug \"" + name + "\". See: kip sim mutants --list")))
                .collect(ImmutableList.toImmutableList());
    }
}
