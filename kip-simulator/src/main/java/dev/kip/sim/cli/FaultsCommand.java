package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.faults.FaultCatalogue;
import dev.kip.sim.faults.FaultKind;
import dev.kip.sim.faults.FaultStory;
import dev.kip.sim.planted.FaultTrials;
import dev.kip.sim.planted.FaultTrials.FaultTrial;
import dev.kip.yaml.Suggestion;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim faults}: every kind of fault, and what it does to a story. */
@Command(
        name = "faults",
        description = "Lists the kinds of faults, or tells for each the story in which it shows.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim faults",
            "  ./kip sim faults --try",
            "  ./kip sim faults --try launch-reply-lost watch-stalls --seed 5",
            "  ./kip sim faults --show watch-stalls > mine.yaml",
            "",
            "Exit codes: 0 all that were tried hit, mattered and were overcome, 1 one was not, 2 wrong usage."
        })
final class FaultsCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "FAULT", description = "all if none is named")
    private List<String> words = List.of();

    @Option(names = "--try", description = "tells the story of each, with the fault and without")
    private boolean tried;

    @Option(names = "--show", description = "prints the story's file")
    private boolean show;

    @Option(names = "--page", hidden = true, description = "prints the reference page")
    private boolean page;

    @Option(names = "--seed", description = "the seed, default ${DEFAULT-VALUE}", defaultValue = "1")
    private long seed;

    @Override
    public Integer call() {
        SimCommand.quieten();
        PrintWriter out = spec.commandLine().getOut();
        if (page) {
            out.print(FaultCatalogue.page());
            out.flush();
            return 0;
        }
        FaultTrials trials = new FaultTrials(seed);
        boolean right = true;
        for (FaultKind kind : chosen()) {
            if (show) {
                out.print(FaultStory.of(kind));
            } else if (tried) {
                FaultTrial trial = trials.of(kind);
                right &= trial.problem().isEmpty();
                out.printf(
                        Locale.ROOT,
                        "%-8s %-4s %-28s %4d hits  %s%n",
                        trial.problem().isEmpty() ? "right" : "WRONG",
                        kind.id(),
                        kind.word(),
                        trial.hits(),
                        trial.problem().or(trial::mattered).orElse(""));
            } else {
                out.printf(Locale.ROOT, "%-4s %-28s %s%n", kind.id(), kind.word(), kind.why());
            }
            out.flush();
        }
        return right ? 0 : 1;
    }

    private ImmutableList<FaultKind> chosen() {
        if (words.isEmpty()) {
            return FaultCatalogue.all();
        }
        return words.stream()
                .map(word -> FaultCatalogue.find(word)
                        .orElseThrow(() -> new UsageProblem("there is no fault \"" + word + "\"."
                                + Suggestion.didYouMean(word, FaultCatalogue.words()) + " See: kip sim faults")))
                .collect(ImmutableList.toImmutableList());
    }
}
