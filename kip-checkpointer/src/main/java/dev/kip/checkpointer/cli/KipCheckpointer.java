package dev.kip.checkpointer.cli;

import com.google.common.base.Strings;
import dev.kip.checkpointer.agent.AgentCommand;
import dev.kip.checkpointer.image.ImageCommand;
import dev.kip.checkpointer.lint.ConvertCommand;
import dev.kip.checkpointer.lint.LintCommand;
import dev.kip.checkpointer.lint.LintFailure;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The command line of the checkpointer's jar. */
@Command(
        name = "kip-checkpointer",
        description = "Brings the pods of a node back after a power cut with no API server.",
        mixinStandardHelpOptions = true,
        versionProvider = KipCheckpointer.Version.class,
        subcommands = {
            RunCommand.class,
            StatusCommand.class,
            LintCommand.class,
            ConvertCommand.class,
            AgentCommand.class,
            ImageCommand.class,
            CommandLine.HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:it could not be done, or the answer is no", "2:wrong usage or configuration"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  NODE_NAME=node-1 POD_NAME=c-x POD_NAMESPACE=kube-system kip-checkpointer run",
            "  kip-checkpointer status --node-name node-1",
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

    /** What the jar's manifest says. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = KipCheckpointer.class.getPackage().getImplementationVersion();
            return new String[] {"kip-checkpointer " + (Strings.isNullOrEmpty(version) ? "dev" : version)};
        }
    }
}
