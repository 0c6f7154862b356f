package dev.kip.controller.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.cli.Kip;
import dev.kip.controller.config.ProviderConfig;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.controller.config.ProviderYaml;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

class DeployManifestsTest {

    private static final Path DEPLOY = Path.of("deploy");

    @Test
    void the_configuration_is_one_that_the_controller_takes() {
        JsonNode map = documents("config.yaml").get(0);
        ProviderConfig config = ProviderYaml.read(
                        "provider.yaml", map.path("data").path("provider.yaml").asString())
                .value()
                .orElseThrow();

        assertThat(ResolvedConfig.of(config, new Surroundings(ImmutableMap.of(), "kip-0", "1"), "provider.yaml")
                        .value())
                .isPresent();
        assertThat(config.get(ProviderKeys.NAMESPACE))
                .as("where its lease and Secret may be written")
                .isEqualTo(map.path("metadata").path("namespace").asString());
    }

    @Test
    void every_overlay_and_the_chart_have_a_configuration_that_the_controller_takes() throws IOException {
        try (Stream<Path> overlays = Files.walk(Path.of("overlays"))) {
            ImmutableList<Path> files = overlays.filter(
                            file -> file.getFileName().toString().equals("provider.yaml"))
                    .sorted()
                    .collect(ImmutableList.toImmutableList());
            assertThat(files).hasSize(3);
            for (Path file : files) {
                assertThat(ProviderYaml.read(file.toString(), Files.readString(file))
                                .error())
                        .as(file.toString())
                        .isEmpty();
            }
        }
        String chart = documents("chart/values.yaml").get(0).path("config").toString();
        assertThat(ProviderYaml.read("values.yaml", chart).error()).isEmpty();
    }

    @Test
    void the_chart_has_no_rights_and_definitions_of_its_own() throws IOException {
        assertThat(DEPLOY.resolve("chart/files/rbac.yaml").toRealPath())
                .isEqualTo(DEPLOY.resolve("rbac.yaml").toRealPath());
        assertThat(DEPLOY.resolve("chart/files/crds").toRealPath())
                .isEqualTo(DEPLOY.resolve("crds").toRealPath());
    }

    @Test
    void the_arguments_are_ones_that_the_command_line_takes() {
        String[] arguments =
                container().path("args").valueStream().map(JsonNode::asString).toArray(String[]::new);

        CommandLine.ParseResult parsed = Kip.commandLine().parseArgs(arguments);

        assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("run");
        assertThat(parsed.subcommand().<Integer>matchedOptionValue("--health-port", 0))
                .isEqualTo(port("health"));
        assertThat(parsed.subcommand().<Integer>matchedOptionValue("--metrics-port", 0))
                .isEqualTo(port("metrics"));
    }

    @Test
    void no_rule_says_everything() throws IOException {
        for (JsonNode document : documents("rbac.yaml")) {
            assertThat(document.path("rules").toString()).doesNotContain("*");
        }
        JsonNode statements = JsonMapper.shared()
                .readTree(Files.readString(DEPLOY.resolve("iam-policy.json")))
                .path("Statement");
        for (JsonNode statement : statements) {
            assertThat(statement.path("Action").toString()).doesNotContain("*");
            if (statement.path("Action").toString().contains("Terminate")) {
                assertThat(statement.path("Condition").isEmpty()).isFalse();
            }
        }
    }

    @Test
    void every_manifest_is_in_the_kustomization() throws IOException {
        ImmutableList<String> listed = documents("kustomization.yaml")
                .get(0)
                .path("resources")
                .valueStream()
                .map(JsonNode::asString)
                .collect(ImmutableList.toImmutableList());
        try (Stream<Path> files = Files.walk(DEPLOY)) {
            assertThat(files.map(file -> DEPLOY.relativize(file).toString())
                            .filter(name -> name.endsWith(".yaml")
                                    && !name.equals("kustomization.yaml")
                                    && !name.startsWith("chart/")))
                    .containsExactlyInAnyOrderElementsOf(listed);
        }
    }

    private static JsonNode container() {
        return documents("deployment.yaml").get(0).at("/spec/template/spec/containers/0");
    }

    private static int port(String name) {
        return container()
                .path("ports")
                .valueStream()
                .filter(port -> port.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .path("containerPort")
                .asInt();
    }

    private static ImmutableList<JsonNode> documents(String file) {
        YAMLMapper yaml = YAMLMapper.builder().build();
        try (var documents = yaml.readerFor(JsonNode.class)
                .<JsonNode>readValues(DEPLOY.resolve(file).toFile())) {
            return ImmutableList.copyOf(documents.readAll());
        }
    }
}
