package dev.kip.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.common.collect.ImmutableList;
import dev.kip.bench.SimulatedFailover.Run;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code kip bench failover}. */
@Command(
        name = "failover",
        description = {
            "A leader dies while it launches, at another moment between two renewals for each seed, and its standby takes over:",
            "how long nobody could act, and whether anything ran twice. Virtual time: the figures are the same everywhere."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip bench failover",
            "  ./kip bench failover --seeds 1000 -o json",
            "",
            "Exit codes: 0 measured, 1 something ran twice or did not come to run, 2 wrong usage."
        })
final class FailoverCommand implements Callable<Integer> {

    private static final int QUICK_SEEDS = 10;

    @Spec
    private CommandSpec spec;

    @Option(names = "--seeds", description = "how many, default ${DEFAULT-VALUE}", defaultValue = "200")
    private long seeds;

    @Option(names = "--anchor", description = "${COMPLETION-CANDIDATES}, default ${DEFAULT-VALUE}", defaultValue = "s3")
    private Anchor anchor;

    private enum Anchor {
        s3,
        dynamodb,
        none
    }

    @Option(names = "--quick", description = "" + QUICK_SEEDS + " seeds at most, to see that it works")
    private boolean quick;

    @Option(names = "-o", description = "text or json", defaultValue = "text")
    private Format format;

    @Override
    public Integer call() {
        if (seeds < 1) {
            throw new ParameterException(spec.commandLine(), "--seeds: at least 1 was expected, not " + seeds);
        }
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        ImmutableList<Run> runs = SimulatedFailover.run(quick ? Math.min(seeds, QUICK_SEEDS) : seeds, anchor.name());
        ImmutableList<Duration> sorted =
                runs.stream().map(Run::took).sorted(Comparator.naturalOrder()).collect(ImmutableList.toImmutableList());
        PrintWriter out = spec.commandLine().getOut();
        out.println(format == Format.JSON ? json(runs, sorted) : text(runs, sorted));
        out.flush();
        runs.stream()
                .flatMap(run -> run.problems().stream().map(problem -> "seed " + run.seed() + ": " + problem))
                .forEach(spec.commandLine().getErr()::println);
        boolean right = doubleGrants(runs) == 0
                && runs.stream().allMatch(run -> run.problems().isEmpty());
        return right ? 0 : 1;
    }

    private static int doubleGrants(ImmutableList<Run> runs) {
        return runs.stream().mapToInt(Run::doubleGrants).sum();
    }

    private static long late(ImmutableList<Duration> sorted) {
        return sorted.stream()
                .filter(took -> took.compareTo(SimulatedFailover.LEASE.plusSeconds(1)) > 0)
                .count();
    }

    private String text(ImmutableList<Run> runs, ImmutableList<Duration> sorted) {
        return String.format(
                Locale.ROOT,
                "%,d seeds, lease %d s, anchor: %s%n%n"
                        + "virtual seconds from the leader's death until the standby acts%n"
                        + "  shortest  %.3f%n  median    %.3f%n  longest   %.3f%n"
                        + "longer than the lease and a second: %d%n"
                        + "pods or attempts that ran on two instances: %d%n"
                        + "seeds that did not end well: %d",
                runs.size(),
                SimulatedFailover.LEASE.toSeconds(),
                anchor,
                seconds(sorted.get(0)),
                seconds(sorted.get(sorted.size() / 2)),
                seconds(sorted.get(sorted.size() - 1)),
                late(sorted),
                doubleGrants(runs),
                runs.stream().filter(run -> !run.problems().isEmpty()).count());
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }

    private String json(ImmutableList<Run> runs, ImmutableList<Duration> sorted) {
        ObjectNode node = JsonMapper.builder().build().createObjectNode();
        node.put("seeds", runs.size())
                .put("leaseSeconds", SimulatedFailover.LEASE.toSeconds())
                .put("anchor", anchor.name())
                .put("shortestSeconds", seconds(sorted.get(0)))
                .put("medianSeconds", seconds(sorted.get(sorted.size() / 2)))
                .put("longestSeconds", seconds(sorted.get(sorted.size() - 1)))
                .put("late", late(sorted))
                .put("doubleGrants", doubleGrants(runs))
                .put(
                        "notWell",
                        runs.stream().filter(run -> !run.problems().isEmpty()).count());
        return node.toString();
    }
}
