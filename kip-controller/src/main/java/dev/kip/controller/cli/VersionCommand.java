package dev.kip.controller.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

@Command(
        name = "version",
        description = "Prints the version.",
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  kip version", "  kip version -o json"})
final class VersionCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private OutputFormat output = OutputFormat.text;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        String java = Runtime.version().toString();
        if (output == OutputFormat.json) {
            out.println(JsonMapper.shared()
                    .createObjectNode()
                    .put("version", KipVersion.current())
                    .put("java", java));
        } else {
            out.println("kip " + KipVersion.current() + " (Java " + java + ")");
        }
        out.flush();
    }
}
