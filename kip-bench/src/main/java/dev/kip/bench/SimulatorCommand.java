package dev.kip.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.kip.bench.SimulatedBurst.Figures;
import dev.kip.bench.SimulatedBurst.Half;
import java.io.PrintWriter;
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

/** {@code kip bench simulator}. */
@Command(
        name = "simulator",
        description = {
            "A burst of pods of one deployment in the simulated world, with the production controller: each pod gets an",
            "instance, becomes Ready, and is deleted. Calls are counted, and are the same in each run with the same seed;",
            "times are of this machine, from a JVM that has just started."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip bench simulator",
            "  KIP_JAVA_OPTS=-Xmx6g ./kip bench simulator --pods 10000",
            "  ./kip bench simulator --quick -o json"
        })
final class SimulatorCommand implements Callable<Integer> {

    private static final int QUICK_PODS = 100;

    @Spec
    private CommandSpec spec;

    @Option(names = "--pods", description = "how many, default ${DEFAULT-VALUE}", defaultValue = "1000")
    private int pods;

    @Option(names = "--seed", description = "default ${DEFAULT-VALUE}", defaultValue = "1")
    private long seed;

    @Option(names = "--quick", description = "" + QUICK_PODS + " pods at most, to see that it works")
    private boolean quick;

    @Option(names = "-o", description = "text or json", defaultValue = "text")
    private Format format;

    @Override
    public Integer call() {
        if (pods < 1) {
            throw new ParameterException(spec.commandLine(), "--pods: at least 1 was expected, not " + pods);
        }
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        Machine machine = Machine.here();
        Figures figures = SimulatedBurst.run(quick ? Math.min(pods, QUICK_PODS) : pods, seed);
        PrintWriter out = spec.commandLine().getOut();
        out.println(format == Format.JSON ? json(machine, figures) : text(machine, figures));
        out.flush();
        return 0;
    }

    private static String text(Machine machine, Figures figures) {
        Half up = figures.up();
        Half down = figures.down();
        Half whole = figures.whole();
        StringBuilder text = new StringBuilder(1024);
        text.append(String.format(
                Locale.ROOT,
                "%,d pods, seed %d, hash %s%n%n%-34s %12s %12s %12s%n",
                figures.pods(),
                figures.seed(),
                figures.hash(),
                "",
                "to Ready",
                "to gone",
                "whole"));
        row(text, "wall seconds", "%.1f", seconds(up.wall()), seconds(down.wall()), seconds(whole.wall()));
        row(
                text,
                "  of these collecting garbage",
                "%.1f",
                seconds(up.collecting()),
                seconds(down.collecting()),
                seconds(whole.collecting()));
        row(text, "  CPU of the world's thread", "%.1f", seconds(up.cpu()), seconds(down.cpu()), seconds(whole.cpu()));
        row(text, "virtual seconds", "%.1f", seconds(up.virtual()), seconds(down.virtual()), seconds(whole.virtual()));
        row(text, "events", "%,d", up.events(), down.events(), whole.events());
        row(
                text,
                "events per wall second",
                "%,.0f",
                up.eventsPerSecond(),
                down.eventsPerSecond(),
                whole.eventsPerSecond());
        row(text, "launch calls", "%,d", up.launchCalls(), down.launchCalls(), whole.launchCalls());
        row(text, "cloud calls", "%,d", up.cloudCalls(), down.cloudCalls(), whole.cloudCalls());
        double pods = figures.pods();
        row(
                text,
                "Kubernetes writes per pod",
                "%.2f",
                up.kubernetesWrites() / pods,
                down.kubernetesWrites() / pods,
                whole.kubernetesWrites() / pods);
        row(
                text,
                "Kubernetes events per pod",
                "%.2f",
                up.kubernetesEvents() / pods,
                down.kubernetesEvents() / pods,
                whole.kubernetesEvents() / pods);
        text.append(String.format(
                Locale.ROOT,
                "%nheap after a collection, all pods Ready: %.0f MiB (controller, API server, EC2 and cells together)%n%n",
                figures.worldBytes() / 0x1p20));
        return text.append(machine.text()).toString();
    }

    private static void row(StringBuilder text, String name, String form, Object up, Object down, Object whole) {
        text.append(String.format(
                Locale.ROOT,
                "%-34s %12s %12s %12s%n",
                name,
                String.format(Locale.ROOT, form, up),
                String.format(Locale.ROOT, form, down),
                String.format(Locale.ROOT, form, whole)));
    }

    private static double seconds(java.time.Duration time) {
        return time.toNanos() / 1e9;
    }

    private static String json(Machine machine, Figures figures) {
        ObjectNode node = JsonMapper.builder().build().createObjectNode();
        machine.write(node.putObject("machine"));
        node.put("pods", figures.pods()).put("seed", figures.seed()).put("hash", figures.hash());
        node.put("worldBytes", figures.worldBytes());
        for (Half half : new Half[] {figures.up(), figures.down(), figures.whole()}) {
            node.putObject(half.name())
                    .put("wallSeconds", seconds(half.wall()))
                    .put("cpuSeconds", seconds(half.cpu()))
                    .put("collectingSeconds", seconds(half.collecting()))
                    .put("virtualSeconds", seconds(half.virtual()))
                    .put("events", half.events())
                    .put("launchCalls", half.launchCalls())
                    .put("cloudCalls", half.cloudCalls())
                    .put("kubernetesWrites", half.kubernetesWrites())
                    .put("kubernetesEvents", half.kubernetesEvents());
        }
        return node.toString();
    }
}
