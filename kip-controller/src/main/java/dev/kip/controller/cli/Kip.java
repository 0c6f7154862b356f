package dev.kip.controller.cli;

import dev.kip.logging.Logging;
import org.slf4j.event.Level;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of the controller's jar. */
@Command(
        name = "kip",
        description = "Runs each Kubernetes pod on an EC2 instance of its own.",
        mixinStandardHelpOptions = true,
        versionProvider = KipVersion.class,
        subcommands = {
            RunCommand.class,
            CellsCommand.class,
            ExplainCommand.class,
            DoctorCommand.class,
            AuditCommand.class,
            GcCommand.class,
            AdoptCommand.class,
            DrainCommand.class,
            PricesCommand.class,
            ConfigCommand.class,
            VersionCommand.class,
            CommandLine.HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:it could not be done", "2:wrong usage or configuration"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip config print-default > provider.yaml",
            "  kip config check provider.yaml",
            "  kip run --config provider.yaml --kubeconfig ~/.kube/config"
        })
public final class Kip {

    public static void main(String[] args) {
        Logging.configure(Logging.Format.text, Level.ERROR); // output is what a command says; run sets up its own
        System.exit(commandLine().execute(args));
    }

    /** Ready to execute; {@code setOut} and {@code setErr} redirect it. */
    public static CommandLine commandLine() {
        return new CommandLine(new Kip())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((exception, command, parsed) -> {
                    if (exception instanceof CliFailure failure) {
                        command.getErr().println(failure.getMessage());
                        return failure.exitCode();
                    }
                    throw exception;
                });
    }
}
