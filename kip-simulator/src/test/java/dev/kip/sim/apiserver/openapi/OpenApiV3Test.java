package dev.kip.sim.apiserver.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.apiserver.discovery.Document;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class OpenApiV3Test {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final ResourceType PODS = type("", "Pod", "pods", true);
    private static final ResourceType DEPLOYMENTS = type("apps", "Deployment", "deployments", true);
    private static final ResourceType CELLS = type("kip.elotl.co", "Cell", "cells", false);

    private final OpenApiV3 openApi = new OpenApiV3();

    private static ResourceType type(String group, String kind, String plural, boolean namespaced) {
        return new ResourceType(
                group,
                "v1",
                kind,
                plural,
                kind.toLowerCase(java.util.Locale.ROOT),
                namespaced,
                ImmutableList.of(),
                ImmutableList.of(),
                ImmutableList.of("get"),
                ImmutableList.of());
    }

    private void serve(String cellSchema, ResourceType... types) {
        openApi.serve(
                ImmutableList.copyOf(types),
                type -> type.equals(CELLS) ? Optional.of((ObjectNode) JSON.readTree(cellSchema)) : Optional.empty());
    }

    private JsonNode get(String path) {
        return JSON.readTree(openApi.answer(path, Optional.empty(), Optional.empty())
                .orElseThrow()
                .body());
    }

    @Test
    void kubectl_learns_that_the_server_validates_fields_itself() {
        serve("{}", PODS, DEPLOYMENTS);

        JsonNode patch = get("/openapi/v3/apis/apps/v1")
                .path("paths")
                .path("/apis/apps/v1/namespaces/{namespace}/deployments/{name}")
                .path("patch");

        assertThat(patch.toString())
                .isEqualTo("{\"parameters\":[{\"name\":\"fieldValidation\",\"in\":\"query\"}],"
                        + "\"x-kubernetes-action\":\"patch\",\"x-kubernetes-group-version-kind\":"
                        + "{\"group\":\"apps\",\"version\":\"v1\",\"kind\":\"Deployment\"}}");
    }

    @Test
    void explain_finds_fields_of_nested_types() {
        serve("{}", PODS);

        JsonNode schemas = get("/openapi/v3/api/v1").at("/components/schemas");

        assertThat(schemas.at("/Pod/x-kubernetes-group-version-kind/0/kind").asString())
                .isEqualTo("Pod");
        assertThat(schemas.at("/Pod/properties/spec/allOf/0/$ref").asString())
                .isEqualTo("#/components/schemas/PodSpec");
        assertThat(schemas.at("/PodSpec/properties/containers").toString())
                .isEqualTo(
                        "{\"type\":\"array\",\"items\":{\"allOf\":[{\"$ref\":\"#/components/schemas/Container\"}]}}");
        assertThat(schemas.at("/PodSpec/properties/terminationGracePeriodSeconds/format")
                        .asString())
                .isEqualTo("int64");
        assertThat(schemas.at("/PodSpec/properties/nodeSelector/additionalProperties/type")
                        .asString())
                .isEqualTo("string");
        assertThat(schemas.at("/Quantity/type").asString()).isEqualTo("string");
    }

    @Test
    void every_reference_of_a_document_is_in_it() {
        serve("{}", PODS, DEPLOYMENTS);

        JsonNode document = get("/openapi/v3/api/v1");

        assertThat(document.findValuesAsString("$ref"))
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(
                                document.at(reference.substring(1)).isObject())
                        .as(reference)
                        .isTrue());
    }

    @Test
    void the_hash_of_a_changed_custom_resource_changes_and_no_other() {
        serve("{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\"}}}", PODS, CELLS);
        JsonNode before = get("/openapi/v3");

        serve("{\"type\":\"object\",\"properties\":{\"status\":{\"type\":\"object\"}}}", PODS, CELLS);
        JsonNode after = get("/openapi/v3");

        assertThat(after.at("/paths/api~1v1")).isEqualTo(before.at("/paths/api~1v1"));
        assertThat(after.at("/paths/apis~1kip.elotl.co~1v1")).isNotEqualTo(before.at("/paths/apis~1kip.elotl.co~1v1"));
        JsonNode cell = get("/openapi/v3/apis/kip.elotl.co/v1").at("/components/schemas/kip.elotl.co.v1.Cell");
        assertThat(cell.path("properties").propertyNames()).containsExactly("status", "apiVersion", "kind", "metadata");
    }

    @Test
    void a_document_named_by_its_hash_is_cached_for_ever() {
        serve("{}", PODS);
        String url = get("/openapi/v3").at("/paths/api~1v1/serverRelativeURL").asString();
        String hash = url.substring(url.indexOf('=') + 1);

        Document named = openApi.answer("/openapi/v3/api/v1", Optional.of(hash), Optional.empty())
                .orElseThrow();

        assertThat(named.headers()).containsEntry("Cache-Control", "public, immutable");
        assertThat(openApi.answer(
                                "/openapi/v3/api/v1",
                                Optional.empty(),
                                Optional.of(named.headers().get("ETag")))
                        .orElseThrow()
                        .status())
                .isEqualTo(304);
        assertThat(openApi.answer("/openapi/v3/apis/none/v1", Optional.empty(), Optional.empty()))
                .isEmpty();
    }
}
