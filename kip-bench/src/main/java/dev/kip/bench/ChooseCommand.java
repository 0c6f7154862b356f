package dev.kip.bench;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code kip bench choose}. */
@Command(
        name = "choose",
        description = {
            "Choosing instance types for 1,000 unlike pods out of all types of the price table, both markets and six",
            "subnets, by JMH. Takes half a minute; --quick some seconds."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip bench choose",
            "  ./kip bench choose --quick -o json",
            "",
            "Goal: at most 100,000,000 ns for all 1,000."
        })
final class ChooseCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = "--quick", description = "one short run, to see that it works; its figures are rough")
    private boolean quick;

    @Option(names = "-o", description = "text or json", defaultValue = "text")
    private Format format;

    @Override
    public Integer call() throws RunnerException {
        PrintWriter err = spec.commandLine().getErr();
        err.println("kip: measuring ...");
        err.flush();
        return JmhRun.of(ChooseBenchmarks.class, ".*", quick, format, spec.commandLine());
    }
}
