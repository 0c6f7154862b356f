package dev.kip.checkpointer.cli;

import dev.kip.checkpointer.lint.ConvertCommand;
import dev.kip.checkpointer.lint.LintCommand;
import dev.kip.checkpointer.lint.LintFailure;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of the checkpointer's jar. */
@Command(
        name = "kip-checkpointer",
        description = "Pods of a node come back after a power cut with no API server.",
        mixinStandardHelpOptions = true,
        subcommands = {LintCommand.class, ConvertCommand.class, CommandLine.HelpCommand.class},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:it could not be done, or the answer is no", "2:wrong usage or configuration"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip-checkpointer lint /etc/kubernetes/manifests --kubelet 1.34",
            "  kip-checkpointer convert kube-apiserver.yaml"
        })
public final class KipCheckpointer {

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** Ready to execute; {@code setOut} and {@code setErr} redirect it. */
    public static CommandLine commandLine() {
        return new CommandLine(new KipCheckpointer())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((exception, command, parsed) -> {
                    if (exception instanceof LintFailure failure) {
                        command.getErr().println("kip-checkpointer: " + failure.getMessage());
                        return LintFailure.WRONG;
                    }
                    throw exception;
                });
    }
}
