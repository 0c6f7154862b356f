package dev.kip.bench;

import dev.kip.bench.adopt.AdoptCommand;
import dev.kip.bench.system.SystemCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks' program. */
@Command(
        name = "bench",
        description = "Benchmarks of Kip on this machine.",
        mixinStandardHelpOptions = true,
        subcommands = {
            ReconcileCommand.class,
            ChooseCommand.class,
            SimulatorCommand.class,
            AdoptCommand.class,
            FailoverCommand.class,
            SystemCommand.class
        },
        footer = {
            "",
            "Examples:",
            "  ./kip bench reconcile --quick",
            "  ./kip bench reconcile -o json",
            "  ./kip bench choose",
            "  ./kip bench simulator --pods 10000",
            "  ./kip bench adopt",
            "  ./kip bench failover",
            "  real-parts/cluster run ./kip bench system",
            "",
            "Exit codes: 0 measured, 1 something failed while it was measured, 2 wrong usage."
        })
public final class Bench {

    private Bench() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    PrintWriter err = line.getErr();
                    err.println("kip: the benchmark failed: " + failure);
                    failure.printStackTrace(err);
                    err.flush();
                    return 1;
                });
    }
}
