package dev.kip.bench;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
        PrintWriter err = spec.commandLine().getErr();
        err.println(quick ? "kip: measuring, about half a minute ..." : "kip: measuring, about four minutes ...");
        err.flush();
        return JmhRun.of(ReconcileBenchmarks.class, only, quick, format, spec.commandLine());
    }
}
