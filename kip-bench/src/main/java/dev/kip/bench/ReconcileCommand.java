package dev.kip.bench;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code kip bench reconcile}. */
@Command(
        name = "reconcile",
        description = {
            "The controller's hot path, by JMH: deciding an unchanged, a new and a changed object,",
            "and a full pass over 10,000 cells. Takes some minutes; --quick half a minute."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip bench reconcile",
            "  ./kip bench reconcile --quick --only 'decide.*'",
            "  ./kip bench reconcile -o json > reconcile.json",
            "",
            "Goals: at most 1,000 ns and 0 bytes for an unchanged object, 10,000,000 ns for the pass."
        })
final class ReconcileCommand implements Callable<Integer> {

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    @Spec
    private CommandSpec spec;

    @Option(names = "--quick", description = "one short run, to see that it works; its figures are rough")
    private boolean quick;

    @Option(names = "--only", paramLabel = "REGEX", description = "benchmarks whose name matches", defaultValue = ".*")
    private String only;

    @Option(names = "-o", description = "text or json", defaultValue = "text")
    private Format format;

    @Override
    public Integer call() throws RunnerException {
        Machine machine = Machine.here();
        PrintWriter err = spec.commandLine().getErr();
        err.println(quick ? "kip: measuring, about half a minute ..." : "kip: measuring, about four minutes ...");
        err.flush();
        TimeValue iteration = TimeValue.milliseconds(quick ? 300 : 1_000);
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("^" + ReconcileBenchmarks.class.getName().replace(".", "\\.") + "\\.(" + only + ")$")
                        .forks(quick ? 1 : 2)
                        .warmupIterations(quick ? 3 : 5)
                        .warmupTime(iteration)
                        .measurementIterations(quick ? 3 : 5)
                        .measurementTime(iteration)
                        .addProfiler(GCProfiler.class)
                        .jvmArgsAppend("-Xmx1g", "-XX:+UseSerialGC")
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        if (results.isEmpty()) {
            err.println("kip: no benchmark is named like \"" + only + "\"");
            return 2;
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(format == Format.JSON ? json(machine, results) : text(machine, results));
        out.flush();
        return 0;
    }

    private static String text(Machine machine, Collection<RunResult> results) {
        StringBuilder text = new StringBuilder(1024);
        text.append(String.format(Locale.ROOT, "%-18s %14s %12s %12s%n", "benchmark", "ns/op", "+-", "bytes/op"));
        for (RunResult result : results) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-18s %,14.1f %,12.1f %,12.1f%n",
                    name(result),
                    result.getPrimaryResult().getScore(),
                    error(result),
                    bytes(result)));
        }
        return text.append('\n').append(machine.text()).toString();
    }

    private static String json(Machine machine, Collection<RunResult> results) {
        ObjectNode node = JsonMapper.builder().build().createObjectNode();
        machine.write(node.putObject("machine"));
        ArrayNode benchmarks = node.putArray("benchmarks");
        for (RunResult result : results) {
            benchmarks
                    .addObject()
                    .put("benchmark", name(result))
                    .put("nanosPerOp", result.getPrimaryResult().getScore())
                    .put("error", error(result))
                    .put("bytesPerOp", bytes(result));
        }
        return node.toString();
    }

    private static String name(RunResult result) {
        String full = result.getParams().getBenchmark();
        return full.substring(full.lastIndexOf('.') + 1);
    }

    /** Half of the 99.9 % confidence interval; 0 if there were too few iterations to say. */
    private static double error(RunResult result) {
        double error = result.getPrimaryResult().getScoreError();
        return Double.isNaN(error) ? 0 : error;
    }

    /** JMH's own calls leave fractions of a byte. */
    private static double bytes(RunResult result) {
        Result<?> allocated = result.getSecondaryResults().get(ALLOCATED);
        if (allocated == null) {
            throw new IllegalStateException("this JVM does not count what it allocates");
        }
        return Math.max(0, allocated.getScore());
    }
}
