package dev.kip.bench.adopt;

import ch.qos.logback.classic.Logger;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.sun.management.OperatingSystemMXBean;
import dev.kip.controller.cli.RealProcess;
import dev.kip.controller.config.Problem;
import dev.kip.controller.config.ProviderYaml;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.controller.telemetry.Metric;
import dev.kip.logging.Logging;
import dev.kip.outcome.Outcome;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A controller in a process of its own, as {@code kip run} starts it, again and again at the word of the process that
 * measures: {@code start} on standard input starts one, {@code stop} stops it. Standard output says when it knows its world
 * and, after {@code stop}, what its loop did.
 */
final class ControllerHost {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final int LOOK_MILLIS = 5;

    private ControllerHost() {}

    /** @param args provider.yaml and kubeconfig */
    public static void main(String[] args) throws IOException, InterruptedException {
        PrintStream out = System.out;
        System.setOut(System.err);
        Logging.configure(Logging.Format.text, Level.ERROR);
        // Vert.x complains of each request that was under way when its client is closed.
        ((Logger) LoggerFactory.getLogger("io.vertx.core.impl")).setLevel(ch.qos.logback.classic.Level.OFF);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Optional<RealProcess> running = Optional.empty();
        for (String word = in.readLine(); word != null; word = in.readLine()) {
            if (word.equals("start")) {
                long began = System.nanoTime();
                RealProcess process = RealProcess.start(
                        config(Path.of(args[0])),
                        new RealProcess.Places(Optional.of(Path.of(args[1])), "127.0.0.1", 0, 0));
                running = Optional.of(process);
                while (gauge(process.metrics(), Metric.SYNCED.exposed()) < 1) {
                    Thread.sleep(LOOK_MILLIS);
                }
                ObjectNode adopted = say(process.metrics(), began);
                out.println(adopted);
            } else if (word.equals("stop") && running.isPresent()) {
                RealProcess process = running.get();
                ObjectNode last = say(process.metrics(), System.nanoTime());
                process.close();
                running = Optional.empty();
                out.println(last);
            }
            out.flush();
        }
        System.exit(0);
    }

    private static ObjectNode say(MeterRegistry metrics, long began) {
        Optional<Timer> tasks = Optional.ofNullable(
                metrics.find(Metric.LOOP_TASK_DURATION.exposed()).timer());
        return JSON.createObjectNode()
                .put("cpuMillis", TimeUnit.NANOSECONDS.toMillis(SYSTEM.getProcessCpuTime()))
                .put("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                .put("cells", sum(metrics, Metric.CELLS.exposed()))
                .put("pods", sum(metrics, Metric.PODS.exposed()))
                .put(
                        "longestTaskMillis",
                        tasks.map(timer -> timer.max(TimeUnit.MILLISECONDS)).orElse(0.0))
                .put(
                        "busyMillis",
                        tasks.map(timer -> timer.totalTime(TimeUnit.MILLISECONDS))
                                .orElse(0.0));
    }

    private static double gauge(MeterRegistry metrics, String name) {
        return Optional.ofNullable(metrics.find(name).gauge()).map(Gauge::value).orElse(0.0);
    }

    private static long sum(MeterRegistry metrics, String name) {
        return Math.round(
                metrics.find(name).gauges().stream().mapToDouble(Gauge::value).sum());
    }

    private static ResolvedConfig config(Path providerYaml) throws IOException {
        return ProviderYaml.read(providerYaml.toString(), Files.readString(providerYaml))
                .fold(
                        config -> ResolvedConfig.of(
                                config,
                                new Surroundings(ImmutableMap.of("POD_IP", "127.0.0.1"), "bench", "bench"),
                                providerYaml.toString()),
                        Outcome::<ResolvedConfig, ImmutableList<Problem>>failed)
                .fold(resolved -> resolved, problems -> {
                    throw new IllegalStateException("the benchmark's own provider.yaml is refused: " + problems);
                });
    }
}
