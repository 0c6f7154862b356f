package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The Helm chart and the overlays, with helm and kubectl, on a real API server. */
final class ChartIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final String CHART = RealCluster.DEPLOY.resolve("chart").toString();
    private static final YAMLMapper YAML = YAMLMapper.builder().build();

    @TempDir
    private Path folder;

    @Test
    void helm_finds_nothing_wrong_with_it() {
        assertThat(CLUSTER.helm("lint", "--strict", CHART).orFail()).contains("0 chart(s) failed");
    }

    @ParameterizedTest
    @CsvSource({
        "replicas=0, replicas",
        "image.digest=latest, digest",
        "config.namespace=elsewhere, config",
        "drain.onDelete=sometimes, onDelete",
        "replica=2, replica"
    })
    void wrong_values_are_refused_by_their_names(String value, String named) {
        Program.Result result = CLUSTER.helm("template", "kip", CHART, "--set", value);

        assertThat(result.code()).isNotZero();
        assertThat(result.output())
                .contains("values don't meet the specifications of the schema")
                .contains(named);
    }

    @Test
    void by_default_it_renders_the_plain_manifests() throws IOException {
        Map<String, JsonNode> plain = objects(
                CLUSTER.kubectl("kustomize", RealCluster.DEPLOY.toString()).orFail());
        assertThat(plain.remove("Namespace kip")).isNotNull();

        assertThat(rendered("kip", "kip")).isEqualTo(plain);
    }

    @Test
    void its_rights_are_those_of_the_manifests_whatever_it_is_called() throws IOException {
        Map<String, JsonNode> plain = objects(Files.readString(RealCluster.DEPLOY.resolve("rbac.yaml")));
        Map<String, JsonNode> chart = new TreeMap<>();
        rendered("blue", "somewhere", "--set", "drain.onDelete=false,crds.install=false")
                .forEach((name, object) -> {
                    if (object.has("rules") || object.has("roleRef")) {
                        chart.put(
                                name.replace("blue-kip", "kip"),
                                YAML.readTree(object.toString()
                                        .replace("blue-kip", "kip")
                                        .replace("\"somewhere\"", "\"kip\"")));
                    }
                });

        assertThat(chart.values()).containsExactlyInAnyOrderElementsOf(plain.values());
    }

    /** The drain has the controller's account and nothing more; it is run before anything is deleted. */
    @Test
    void the_hook_drains_with_the_account_of_the_controller() throws IOException {
        Map<String, JsonNode> all = objects(template("kip", "kip"));
        JsonNode hook = all.get("Job kip-drain");
        JsonNode drain = hook.at("/spec/template/spec");
        JsonNode controller = all.get("Deployment kip").at("/spec/template/spec");

        assertThat(hook.at("/metadata/annotations/helm.sh~1hook").asString()).isEqualTo("pre-delete");
        for (String same : ImmutableList.of("serviceAccountName", "securityContext", "affinity", "volumes")) {
            assertThat(drain.path(same)).as(same).isEqualTo(controller.path(same));
        }
        for (String same : ImmutableList.of("image", "env", "securityContext", "volumeMounts")) {
            assertThat(drain.path("containers").path(0).path(same))
                    .as(same)
                    .isEqualTo(controller.path("containers").path(0).path(same));
        }
        assertThat(objects(template("kip", "kip", "--set", "drain.onDelete=false")))
                .doesNotContainKey("Job kip-drain");
    }

    @Test
    void the_notes_say_what_is_not_survived_without_an_anchor() {
        assertThat(notes()).contains("NO ANCHOR IS CONFIGURED", "etcd restored from a backup");
        assertThat(notes("--set", "config.ownership.anchor=s3://bucket/kip"))
                .contains("s3://bucket/kip")
                .doesNotContain("NO ANCHOR");
        assertThat(notes("--set", "drain.onDelete=false")).contains("RUNNING AND BILLED");
    }

    private static String notes(String... arguments) {
        return CLUSTER.helm(ImmutableList.<String>builder()
                        .add("install", "noted", CHART, "--dry-run=client", "--set", "crds.install=false")
                        .add(arguments)
                        .build()
                        .toArray(String[]::new))
                .orFail();
    }

    @ParameterizedTest
    @ValueSource(strings = {"eks", "kind", "minikube"})
    void an_overlay_is_taken_without_a_warning(String overlay) throws IOException {
        CLUSTER.applyRights();
        CLUSTER.applyCustomResources();
        Path tree = copy(RealCluster.DEPLOY.getParent());
        Files.copy(tree.resolve("overlays/one-machine/aws.env.example"), tree.resolve("overlays/one-machine/aws.env"));

        assertThat(CLUSTER.kubectl(
                                "apply",
                                "-k",
                                tree.resolve("overlays/" + overlay).toString(),
                                "--dry-run=server")
                        .orFail())
                .contains("deployment.apps/kip created (server dry run)")
                .doesNotContain("Warning");
    }

    /** So that no secret is written into the source tree. */
    private Path copy(Path controller) throws IOException {
        Path copy = folder.resolve("kip-controller");
        Files.createDirectories(copy);
        Program.run(
                        Map.of(),
                        Path.of("/dev/null"),
                        ImmutableList.of(
                                "cp",
                                "-r",
                                controller.resolve("deploy").toString(),
                                controller.resolve("overlays").toString(),
                                copy.toString()))
                .orFail();
        return copy;
    }

    private static String template(String release, String namespace, String... arguments) {
        return CLUSTER.helm(ImmutableList.<String>builder()
                        .add("template", release, CHART, "--namespace", namespace)
                        .add(arguments)
                        .build()
                        .toArray(String[]::new))
                .orFail();
    }

    /** Without what helm itself needs: its labels and annotations, and the hook. */
    private static Map<String, JsonNode> rendered(String release, String namespace, String... arguments)
            throws IOException {
        Map<String, JsonNode> objects = objects(template(release, namespace, arguments));
        objects.remove("Job kip-drain");
        objects.values().forEach(object -> {
            for (String place : ImmutableList.of("/metadata", "/spec/template/metadata")) {
                if (object.at(place) instanceof ObjectNode metadata) {
                    strip(
                            metadata,
                            "labels",
                            "helm.sh/chart",
                            "app.kubernetes.io/managed-by",
                            "app.kubernetes.io/version");
                    strip(metadata, "annotations", "helm.sh/resource-policy", "checksum/config");
                }
            }
            if (object.has("rules") || object.has("roleRef")) {
                ((ObjectNode) object.path("metadata")).remove("labels");
            }
        });
        return objects;
    }

    private static void strip(ObjectNode metadata, String field, String... keys) {
        if (metadata.path(field) instanceof ObjectNode map) {
            map.remove(ImmutableList.copyOf(keys));
            if (map.isEmpty()) {
                metadata.remove(field);
            }
        }
    }

    /** By kind and name, and namespace if two are called the same; a config map's documents are read too. */
    private static Map<String, JsonNode> objects(String text) throws IOException {
        Map<String, JsonNode> objects = new TreeMap<>();
        // Helm remarks on the symbolic links by which chart and manifests have one source.
        String documents =
                text.lines().filter(line -> !line.startsWith("walk.go:")).collect(Collectors.joining("\n"));
        try (var values = YAML.readerFor(JsonNode.class).<JsonNode>readValues(documents)) {
            for (JsonNode object : values.readAll()) {
                if (!object.isObject()) {
                    continue;
                }
                JsonNode provider = object.at("/data/provider.yaml");
                if (provider.isString()) {
                    ((ObjectNode) object.path("data")).set("provider.yaml", YAML.readTree(provider.asString()));
                }
                String name = object.path("kind").asString() + " "
                        + object.at("/metadata/name").asString();
                String namespace = object.at("/metadata/namespace").asString("");
                objects.put(namespace.equals("kube-node-lease") ? name + " in " + namespace : name, object);
            }
        }
        return objects;
    }
}
