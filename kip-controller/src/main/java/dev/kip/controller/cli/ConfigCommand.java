package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.config.ConfigText;
import dev.kip.controller.config.Key;
import dev.kip.controller.config.Problem;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.controller.config.ProviderYaml;
import dev.kip.yaml.Suggestion;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "config",
        description = "Checks and explains provider.yaml.",
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip config check provider.yaml",
            "  kip config explain cells.defaultInstanceType",
            "  kip config print-default"
        })
final class ConfigCommand {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Command(
            name = "check",
            description = "Tells everything that is wrong with a file. Touches nothing, asks nobody.",
            mixinStandardHelpOptions = true,
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {"0:nothing is wrong", "2:something is, and it was told"})
    int check(
            @Parameters(paramLabel = "FILE", description = "The file, YAML or JSON.") Path file,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "text",
                            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
                    OutputFormat output) {
        ImmutableList<Problem> problems = ProviderYaml.read(file.toString(), ConfigFile.text(file))
                .error()
                .orElse(ImmutableList.of());
        PrintWriter out = spec.commandLine().getOut();
        if (output == OutputFormat.json) {
            ArrayNode list = JsonMapper.shared().createArrayNode();
            problems.forEach(problem -> list.addObject()
                    .put("file", file.toString())
                    .put("line", problem.line())
                    .put("key", problem.key())
                    .put("message", problem.message()));
            out.println(
                    JsonMapper.shared().createObjectNode().set("problems", list).toPrettyString());
            out.flush();
            return problems.isEmpty() ? 0 : CliFailure.CONFIGURATION;
        }
        if (!problems.isEmpty()) {
            throw ConfigFile.refused(problems);
        }
        out.println(file + ": nothing is wrong");
        out.flush();
        return 0;
    }

    @Command(name = "explain", description = "Explains a key, or lists all keys.", mixinStandardHelpOptions = true)
    void explain(
            @Parameters(paramLabel = "KEY", arity = "0..1", description = "For example cells.nametag.") @Nullable String key,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "text",
                            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
                    OutputFormat output) {
        PrintWriter out = spec.commandLine().getOut();
        List<Key<?>> keys = key == null ? ProviderKeys.all() : ImmutableList.of(find(key));
        if (output == OutputFormat.json) {
            ArrayNode list = JsonMapper.shared().createArrayNode();
            keys.forEach(known -> list.add(json(known)));
            out.println(list.toPrettyString());
        } else {
            out.print(key == null ? ConfigText.overview() : ConfigText.explain(keys.get(0)));
        }
        out.flush();
    }

    @Command(
            name = "print-default",
            description = "Prints a provider.yaml with every key, its meaning and its default.",
            mixinStandardHelpOptions = true)
    void printDefault() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(ConfigText.defaults());
        out.flush();
    }

    private static Key<?> find(String key) {
        Optional<Key<?>> known = ProviderKeys.find(key);
        return known.orElseThrow(() -> new CliFailure(
                CliFailure.CONFIGURATION,
                key + ": there is no such key."
                        + Suggestion.didYouMean(
                                key,
                                ProviderKeys.all().stream().map(Key::path).collect(ImmutableList.toImmutableList()))
                        + " For all of them: kip config explain"));
    }

    private static ObjectNode json(Key<?> key) {
        return JsonMapper.shared()
                .createObjectNode()
                .put("key", key.path())
                .put("wanted", key.form().wanted())
                .put("default", key.defaultText())
                .put("description", key.description())
                .put("original", key.original().orElse(""));
    }
}
