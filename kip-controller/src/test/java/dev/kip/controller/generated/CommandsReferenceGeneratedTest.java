package dev.kip.controller.generated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.controller.cli.Kip;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class CommandsReferenceGeneratedTest {

    private static final int WIDTH = 110;

    @Test
    void the_reference_of_commands_is_what_help_says() {
        StringBuilder text = new StringBuilder();
        text.append("# Commands\n\n");
        text.append("What `--help` of each command of the controller says; generated. `./kip COMMAND` is the same as")
                .append(" `java -jar kip-controller.jar COMMAND`.\n");
        commands()
                .forEach((name, command) -> text.append("\n## kip ")
                        .append(name)
                        .append("\n\n```text\n")
                        .append(usage(command))
                        .append("```\n"));
        GeneratedFile.mustBe("docs/reference/commands.md", text.toString());
    }

    @Test
    void every_command_gives_examples_and_tells_its_exit_codes() {
        commands().forEach((name, command) -> {
            if (command.getSubcommands().isEmpty() && !name.startsWith("config") && !name.equals("version")) {
                assertThat(usage(command)).as(name).contains("Examples:", "Exit codes:", "  kip " + name);
            }
        });
    }

    @Test
    void the_guide_to_operation_names_every_command() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "operate.md"));

        commands().keySet().stream()
                .filter(name -> !name.startsWith("config") && !name.equals("version"))
                .forEach(name -> assertThat(guide).contains("kip " + name));
    }

    private static Map<String, CommandLine> commands() {
        Map<String, CommandLine> all = new TreeMap<>();
        collect("", Kip.commandLine(), all);
        return all;
    }

    private static void collect(String prefix, CommandLine parent, Map<String, CommandLine> all) {
        parent.getSubcommands().forEach((name, command) -> {
            if (!name.equals("help")) {
                all.put(prefix + name, command);
                collect(prefix + name + " ", command, all);
            }
        });
    }

    private static String usage(CommandLine command) {
        return command.setUsageHelpWidth(WIDTH)
                .getUsageMessage(Ansi.OFF)
                .lines()
                .map(String::stripTrailing)
                .reduce("", (all, line) -> all + line + "\n");
    }
}
