package dev.kip.sim.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The simulator's program. */
@Command(
        name = "kip",
        description = "Kip's embedded world and its simulator.",
        mixinStandardHelpOptions = true,
        subcommands = {UpCommand.class, SimCommand.class})
public final class Simulator {

    private Simulator() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** Exit codes: 0 all went well, 1 a story failed, 2 wrong usage or a broken file. */
    static CommandLine commandLine() {
        return new CommandLine(new Simulator())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    if (failure instanceof UsageProblem) {
                        line.getErr().println("kip: " + failure.getMessage());
                        return 2;
                    }
                    throw failure;
                });
    }
}
