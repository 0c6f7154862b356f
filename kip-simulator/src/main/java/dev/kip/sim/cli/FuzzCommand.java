package dev.kip.sim.cli;

import dev.kip.sim.fuzz.Fuzz;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.yaml.Suggestion;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kip sim fuzz}. */
@Command(
        name = "fuzz",
        description = "Tells drawn histories, one for each seed, with all invariants on.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip sim fuzz ownership --seeds 1000 --jobs 2",
            "  ./kip sim fuzz ownership --from 1001 --for 10m",
            "  ./kip sim fuzz ownership --from 17 --seeds 1 --verbose   # tells seed 17 again, with its timeline",
            "  ./kip sim fuzz ownership --from 17 --show                # its story as a file",
            "",
            "A run goes on where another ended: give --from the seed that it names last.",
            "Exit codes: 0 every history ended well, 1 one did not, 2 wrong usage."
        })
final class FuzzCommand implements Callable<Integer> {

    private static final long SECOND = 1_000_000_000L;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "GROUP", description = "what the histories are about: ownership")
    private String group = "";

    @Option(names = "--seeds", description = "how many, default ${DEFAULT-VALUE}", defaultValue = "100")
    private long seeds;

    @Option(names = "--from", description = "the first seed, default ${DEFAULT-VALUE}", defaultValue = "1")
    private long from;

    @Option(names = "--jobs", description = "threads, default ${DEFAULT-VALUE}", defaultValue = "1")
    private int jobs;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            description = "ends after so long, such as 10m; then --seeds counts only if given too")
    private Optional<String> limit = Optional.empty();

    @Option(names = "--verbose", description = "print the timeline of what failed")
    private boolean verbose;

    @Option(names = "--show", description = "print the story of the first seed, and tell nothing")
    private boolean show;

    private final AtomicLong next = new AtomicLong();
    private final Map<String, Integer> kinds = new TreeMap<>();
    private long told;
    private long failed;
    private long events;

    @Override
    public Integer call() throws InterruptedException {
        if (!Fuzz.GROUPS.contains(group)) {
            throw new UsageProblem("there are no histories of \"" + group + "\"."
                    + Suggestion.didYouMean(group, Fuzz.GROUPS) + " Known: " + String.join(", ", Fuzz.GROUPS));
        }
        if (seeds < 1 || jobs < 1) {
            throw new UsageProblem("--seeds and --jobs must be 1 or more");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (show) {
            out.print(Fuzz.story(from));
            out.flush();
            return 0;
        }
        SimCommand.quieten();
        long began = System.nanoTime();
        long end = limit.map(text -> began + nanos(text)).orElse(Long.MAX_VALUE);
        boolean counted = limit.isEmpty() || spec.commandLine().getParseResult().hasMatchedOption("--seeds");
        long last = counted ? from + seeds : Long.MAX_VALUE;
        next.set(from);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            Thread thread = new Thread(() -> work(last, end, out), "fuzz-" + i);
            thread.start();
            threads.add(thread);
        }
        long shown = began;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                thread.join(200);
                if (System.nanoTime() - shown > 10 * SECOND) {
                    shown = System.nanoTime();
                    report(spec.commandLine().getErr(), began);
                }
            }
        }
        report(out, began);
        return failed == 0 ? 0 : 1;
    }

    private static long nanos(String text) {
        if (!text.matches("\\d{1,6}[smh]")) {
            throw new UsageProblem("--for " + text + " is no time; write 90s, 10m or 2h");
        }
        long amount = Long.parseLong(text.substring(0, text.length() - 1));
        return amount
                * SECOND
                * switch (text.charAt(text.length() - 1)) {
                    case 's' -> 1;
                    case 'm' -> 60;
                    default -> 3_600;
                };
    }

    private void work(long last, long end, PrintWriter out) {
        while (System.nanoTime() < end) {
            long seed = next.getAndIncrement();
            if (seed >= last) {
                return;
            }
            take(Fuzz.tell(seed, verbose), out);
        }
    }

    private synchronized void take(Outcomes outcomes, PrintWriter out) {
        told++;
        events += outcomes.events();
        if (outcomes.passed()) {
            return;
        }
        failed++;
        Problem first = outcomes.problems().get(0);
        kinds.merge(first.id(), 1, Integer::sum);
        if (verbose) {
            out.println(Reports.text(outcomes));
        }
        out.println("FAILED seed " + outcomes.seed() + "  " + first.id() + ": " + first.text());
        out.println("  again: ./kip sim fuzz " + group + " --from " + outcomes.seed() + " --seeds 1 --verbose");
        out.flush();
    }

    private synchronized void report(PrintWriter to, long began) {
        double seconds = (System.nanoTime() - began) / (double) SECOND;
        to.printf(
                Locale.ROOT,
                "%s: %,d seeds told, %,d failed%s, %.1f seeds/s, %,.0f events/s; go on with --from %d%n",
                group,
                told,
                failed,
                kinds.isEmpty() ? "" : " " + kinds,
                told / seconds,
                events / seconds,
                from + told);
        to.flush();
    }
}
