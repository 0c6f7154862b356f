package dev.kip.bench.system;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.kip.bench.Format;
import dev.kip.bench.Machine;
import dev.kip.bench.system.PodLoad.Figures;
import dev.kip.bench.system.PodLoad.Way;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code kip bench system}. */
@Command(
        name = "system",
        description = {
            "Pods through a real kube-apiserver and etcd: created until all are ready, deleted until all are gone; kwok, where its",
            "binary is given, first, in the same run. EC2 and the cells are simulated, without limits or delays, and spoken to",
            "over the network. The cells' addresses (172.31.0.0/16) must be this machine's, as in a network namespace after",
            "'ip addr add 172.31.0.0/16 dev lo'."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  real-parts/cluster start",
            "  real-parts/cluster run sh -c 'ip addr add 172.31.0.0/16 dev lo; ./kip bench system'",
            "  real-parts/cluster run ./kip bench system --pods 2000 --kwok ~/go/bin/kwok -o json"
        })
public final class SystemCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = "--pods", description = "how many, default ${DEFAULT-VALUE}", defaultValue = "1000")
    private int pods;

    @Option(names = "--requests", description = "of the load at a time, default ${DEFAULT-VALUE}", defaultValue = "16")
    private int requests;

    @Option(
            names = "--warm-up",
            description = "pods that come and go before it is measured, default ${DEFAULT-VALUE}",
            defaultValue = "200")
    private int warmUp;

    @Option(names = "--kubeconfig", description = "of a cluster's administrator; default $KUBECONFIG")
    private @Nullable Path kubeconfig;

    @Option(names = "--kwok", paramLabel = "FILE", description = "kwok's binary, to be measured beside")
    private @Nullable Path kwok;

    @Option(names = "-o", description = "text or json", defaultValue = "text")
    private Format format;

    /** @param residentBytes at the most */
    private record Measured(Figures figures, long residentBytes) {}

    @Override
    public Integer call() throws IOException {
        if (pods < 1 || requests < 1 || warmUp < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--pods and --requests: at least 1 was expected, --warm-up: at least 0");
        }
        if (kwok != null && !Files.isExecutable(kwok)) {
            throw new ParameterException(spec.commandLine(), "--kwok " + kwok + ": there is no such program");
        }
        Path file = Optional.ofNullable(kubeconfig)
                .or(() -> Optional.ofNullable(System.getenv("KUBECONFIG")).map(Path::of))
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "no cluster is named: give --kubeconfig, or run it by 'real-parts/cluster run'"));
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        Machine machine = Machine.here();
        Map<String, Measured> measured = measure(file);
        PrintWriter out = spec.commandLine().getOut();
        out.println(format == Format.JSON ? json(machine, measured) : text(machine, measured));
        out.flush();
        return 0;
    }

    private Map<String, Measured> measure(Path file) throws IOException {
        Map<String, Measured> measured = new LinkedHashMap<>();
        Path folder = Files.createTempDirectory("kip-bench");
        try (Cluster cluster = new Cluster(file.toFile())) {
            if (kwok != null) {
                say("kwok starts");
                try (Peer peer = new Kwok(kwok, file, folder.resolve("kwok.log"), cluster)) {
                    measure(cluster, peer, measured);
                }
            }
            say("Kip starts");
            try (Peer peer = new Kip(file, folder, cluster)) {
                measure(cluster, peer, measured);
            }
        } finally {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
        return measured;
    }

    private void measure(Cluster cluster, Peer peer, Map<String, Measured> measured) {
        if (warmUp > 0) {
            say(warmUp + " pods come and go on node " + peer.node() + ", to warm up");
            new PodLoad(cluster, peer.node(), warmUp, requests).run();
        }
        say(pods + " pods come and go on node " + peer.node());
        Figures figures = new PodLoad(cluster, peer.node(), pods, requests).run();
        measured.put(peer.name(), new Measured(figures, peer.residentBytes()));
    }

    private void say(String doing) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("kip: " + doing);
        err.flush();
    }

    private String text(Machine machine, Map<String, Measured> measured) {
        StringBuilder text = new StringBuilder(1024);
        text.append(String.format(Locale.ROOT, "%,d pods, %d requests at a time%n%n", pods, requests));
        text.append(String.format(
                Locale.ROOT,
                "%-8s %12s %8s %10s %14s %8s %10s %12s %10s %8s%n",
                "",
                "pods/s ready",
                "p99 s",
                "writes/s",
                "pods/s gone",
                "p99 s",
                "writes/s",
                "writes/pod",
                "events/pod",
                "RSS MB"));
        measured.forEach((name, one) -> {
            Way up = one.figures().up();
            Way down = one.figures().down();
            text.append(String.format(
                    Locale.ROOT,
                    "%-8s %12.1f %8.1f %10.1f %14.1f %8.1f %10.1f %12.2f %10.2f %8d%n",
                    name,
                    pods / seconds(up),
                    up.p99().toNanos() / 1e9,
                    up.writes() / seconds(up),
                    pods / seconds(down),
                    down.p99().toNanos() / 1e9,
                    down.writes() / seconds(down),
                    (double) (up.writes() + down.writes()) / pods,
                    (double) one.figures().events() / pods,
                    one.residentBytes() >> 20));
        });
        return text.append(System.lineSeparator()).append(machine.text()).toString();
    }

    private static double seconds(Way way) {
        return way.all().toNanos() / 1e9;
    }

    private String json(Machine machine, Map<String, Measured> measured) {
        ObjectNode node = JsonMapper.builder().build().createObjectNode();
        machine.write(node.putObject("machine"));
        node.put("pods", pods).put("requestsAtATime", requests);
        ObjectNode peers = node.putObject("peers");
        measured.forEach((name, one) -> {
            ObjectNode peer = peers.putObject(name);
            way(peer.putObject("up"), one.figures().up());
            way(peer.putObject("down"), one.figures().down());
            peer.put("events", one.figures().events()).put("residentBytes", one.residentBytes());
        });
        return node.toString();
    }

    private void way(ObjectNode node, Way way) {
        node.put("seconds", seconds(way))
                .put("podsPerSecond", pods / seconds(way))
                .put("p99Seconds", way.p99().toNanos() / 1e9)
                .put("writes", way.writes())
                .put("writesPerSecond", way.writes() / seconds(way));
    }
}
