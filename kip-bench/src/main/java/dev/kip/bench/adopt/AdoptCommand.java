package dev.kip.bench.adopt;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.kip.bench.Format;
import dev.kip.bench.Machine;
import dev.kip.bench.adopt.AdoptedCells.Figures;
import dev.kip.bench.adopt.AdoptedCells.Round;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code kip bench adopt}. */
@Command(
        name = "adopt",
        description = {
            "A controller starts beside cells that run already, and takes them all for its own: first in a new process, then",
            "again and again in the same one. API server, EC2 and agents are simulated, on real sockets, in this process; the",
            "controller is the production one, in a process of its own, as 'kip run' starts it."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  ./kip bench adopt", "  ./kip bench adopt --cells 1000 --rounds 2 -o json"})
public final class AdoptCommand implements Callable<Integer> {

    private static final int QUICK_CELLS = 200;

    @Spec
    private CommandSpec spec;

    @Option(names = "--cells", description = "how many, default ${DEFAULT-VALUE}", defaultValue = "10000")
    private int cells;

    @Option(
            names = "--rounds",
            description = "starts, the first in a new process, default ${DEFAULT-VALUE}",
            defaultValue = "4")
    private int rounds;

    @Option(
            names = "--agents",
            description =
                    "each start lasts until every agent was asked what it runs: handshakes of minutes on one machine")
    private boolean agents;

    @Option(names = "--quick", description = "" + QUICK_CELLS + " cells at most, to see that it works")
    private boolean quick;

    @Option(names = "-o", description = "text or json", defaultValue = "text")
    private Format format;

    @Override
    public Integer call() throws IOException {
        if (cells < 1 || rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--cells and --rounds: at least 1 was expected");
        }
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        Machine machine = Machine.here();
        PrintWriter err = spec.commandLine().getErr();
        Figures figures = AdoptedCells.measure(quick ? Math.min(cells, QUICK_CELLS) : cells, rounds, agents, doing -> {
            err.println("kip: " + doing);
            err.flush();
        });
        PrintWriter out = spec.commandLine().getOut();
        out.println(format == Format.JSON ? json(machine, figures) : text(machine, figures));
        out.flush();
        return 0;
    }

    private static String text(Machine machine, Figures figures) {
        StringBuilder text = new StringBuilder(2048);
        text.append(String.format(Locale.ROOT, "%,d cells%n%n", figures.cells()));
        row(text, figures, "", round -> round.fresh() ? "new process" : "same process");
        row(text, figures, "seconds to everything adopted", round -> seconds(round.adopted()));
        row(
                text,
                figures,
                "seconds to every agent heard",
                round -> round.heard().map(AdoptCommand::seconds).orElse("-"));
        row(text, figures, "longest task of the loop, ms, to adopted", round -> millis(round.longestTaskToAdopted()));
        row(text, figures, "  to the end of the round", round -> millis(round.longestTask()));
        row(text, figures, "loop busy, seconds, until then", round -> seconds(round.busy()));
        row(text, figures, "writes to Cells", round -> count(round.calls().cellWrites()));
        row(text, figures, "writes to pods", round -> count(round.calls().podWrites()));
        row(text, figures, "events", round -> count(round.calls().events()));
        row(text, figures, "lease renewals", round -> count(round.calls().leases()));
        row(
                text,
                figures,
                "other Kubernetes writes",
                round -> count(round.calls().otherWrites()));
        row(text, figures, "Kubernetes reads", round -> count(round.calls().reads()));
        row(text, figures, "cloud calls to adopted", round -> count(round.cloudCalls()));
        row(
                text,
                figures,
                "  to every agent heard",
                round -> count(round.calls().cloud()));
        text.append(String.format(
                Locale.ROOT,
                "%ncontainers started: %d; instances that run at the end: %,d%n%n",
                figures.containersStarted(),
                figures.instances()));
        return text.append(machine.text()).toString();
    }

    private static void row(StringBuilder text, Figures figures, String name, Function<Round, String> value) {
        text.append(String.format(Locale.ROOT, "%-42s", name));
        figures.rounds().forEach(round -> text.append(String.format(Locale.ROOT, " %12s", value.apply(round))));
        text.append(System.lineSeparator());
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.2f", time.toNanos() / 1e9);
    }

    private static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.1f", time.toNanos() / 1e6);
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String json(Machine machine, Figures figures) {
        ObjectNode node = JsonMapper.builder().build().createObjectNode();
        machine.write(node.putObject("machine"));
        node.put("cells", figures.cells())
                .put("containersStarted", figures.containersStarted())
                .put("instances", figures.instances());
        ArrayNode rounds = node.putArray("rounds");
        for (Round round : figures.rounds()) {
            ObjectNode one = rounds.addObject();
            round.heard().ifPresent(heard -> one.put("heardSeconds", heard.toNanos() / 1e9));
            one.put("newProcess", round.fresh())
                    .put("adoptedSeconds", round.adopted().toNanos() / 1e9)
                    .put(
                            "longestTaskToAdoptedMillis",
                            round.longestTaskToAdopted().toNanos() / 1e6)
                    .put("longestTaskMillis", round.longestTask().toNanos() / 1e6)
                    .put("loopBusySeconds", round.busy().toNanos() / 1e9)
                    .put("cellWrites", round.calls().cellWrites())
                    .put("podWrites", round.calls().podWrites())
                    .put("events", round.calls().events())
                    .put("leaseRenewals", round.calls().leases())
                    .put("otherWrites", round.calls().otherWrites())
                    .put("kubernetesReads", round.calls().reads())
                    .put("cloudCallsToAdopted", round.cloudCalls())
                    .put("cloudCalls", round.calls().cloud());
        }
        return node.toString();
    }
}
