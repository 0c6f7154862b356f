package dev.kip.bench;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs the benchmarks of a class by JMH, and prints what was measured. */
final class JmhRun {

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private JmhRun() {}

    /**
     * @param only a regular expression for the names of benchmarks
     * @return the exit code
     */
    static int of(Class<?> benchmarks, String only, boolean quick, Format format, CommandLine line)
            throws RunnerException {
        Machine machine = Machine.here();
        TimeValue iteration = TimeValue.milliseconds(quick ? 300 : 1_000);
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("^" + benchmarks.getName().replace(".", "\\.") + "\\.(" + only + ")$")
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
            line.getErr().println("kip: no benchmark is named like \"" + only + "\"");
            return 2;
        }
        PrintWriter out = line.getOut();
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
