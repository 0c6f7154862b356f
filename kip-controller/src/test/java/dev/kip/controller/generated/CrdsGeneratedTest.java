package dev.kip.controller.generated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.crd.CrdManifests;
import java.io.File;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

class CrdsGeneratedTest {

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
            .enable(YAMLWriteFeature.INDENT_ARRAYS_WITH_INDICATOR)
            .disable(YAMLWriteFeature.SPLIT_LINES)
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
            .build();

    static Stream<ObjectNode> crds() {
        return CrdManifests.all().stream();
    }

    @ParameterizedTest
    @MethodSource("crds")
    void each_manifest_is_as_the_records_say(ObjectNode crd) {
        String name = crd.path("spec").path("names").path("plural").asString();
        GeneratedFile.mustBe(
                "kip-controller/deploy/crds/" + name + ".yaml",
                "# Generated from the records of dev.kip.crd. Do not edit.\n" + YAML.writeValueAsString(crd));
    }

    @Test
    void there_is_no_manifest_that_no_record_has() {
        assertThat(new File("deploy/crds").list())
                .containsExactlyInAnyOrder("cells.yaml", "installations.yaml", "launchbatches.yaml");
    }

    @Test
    void a_cell_has_the_columns_of_the_original() {
        JsonNode cells = CrdManifests.all().get(0);

        for (JsonNode version : cells.path("spec").path("versions")) {
            assertThat(version.path("additionalPrinterColumns")
                            .valueStream()
                            .map(column -> column.path("name").asString()
                                    + column.path("jsonPath").asString()
                                    + (column.path("priority").asInt(0) == 0 ? "" : " (wide)"))
                            .collect(Collectors.toList()))
                    .containsExactly(
                            "Pod Name.status.podName",
                            "Pod Namespace.status.podNamespace",
                            "Node.status.node",
                            "Launch Type.status.launchType",
                            "Instance Type.status.instanceType",
                            "Instance ID.status.instanceID",
                            "IP.status.ip",
                            "Age.metadata.creationTimestamp",
                            "Controller ID.status.controllerID (wide)");
            assertThat(version.has("subresources")).isFalse();
            assertThat(version.at("/schema/openAPIV3Schema/properties/status/x-kubernetes-preserve-unknown-fields")
                            .asBoolean())
                    .isTrue();
        }
        assertThat(cells.path("spec")
                        .path("versions")
                        .valueStream()
                        .map(version -> version.path("name").asString() + "/" + version.path("storage")))
                .containsExactly("v1/true", "v1beta1/false");
        assertThat(cells.at("/spec/names/shortNames/0").asString()).isEqualTo("cl");
        assertThat(cells.at("/spec/scope").asString()).isEqualTo("Cluster");
    }
}
