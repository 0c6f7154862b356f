package dev.kip.sim.apiserver.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ResourceType;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DiscoveryTest {

    private static final Optional<String> AGGREGATED =
            Optional.of("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                    + "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json");
    private static final ImmutableList<String> ALL =
            ImmutableList.of("create", "delete", "get", "list", "patch", "update", "watch");

    static final ResourceType PODS = new ResourceType(
            "",
            "v1",
            "Pod",
            "pods",
            "pod",
            true,
            ImmutableList.of("po"),
            ImmutableList.of("all"),
            ALL,
            ImmutableList.of(
                    new ResourceType.Subresource("eviction", "policy", "v1", "Eviction", ImmutableList.of("create")),
                    new ResourceType.Subresource("status", "", "v1", "Pod", ImmutableList.of("get", "patch"))));
    static final ResourceType CELLS = custom("v1");
    static final ResourceType OLD_CELLS = custom("v1beta1");

    private static ResourceType custom(String version) {
        return new ResourceType(
                "kip.elotl.co",
                version,
                "Cell",
                "cells",
                "cell",
                false,
                ImmutableList.of(),
                ImmutableList.of(),
                ALL,
                ImmutableList.of());
    }

    private static JsonNode body(Optional<Document> document) {
        return JsonMapper.builder().build().readTree(document.orElseThrow().body());
    }

    @Test
    void one_request_each_tells_all_core_kinds_and_all_other_kinds() {
        Discovery discovery = new Discovery(ImmutableList.of(PODS, OLD_CELLS, CELLS));

        JsonNode core = body(discovery.answer("/api", AGGREGATED, Optional.empty()));
        JsonNode groups = body(discovery.answer("/apis/", AGGREGATED, Optional.empty()));

        assertThat(core.at("/items/0/versions/0/resources/0").toString())
                .isEqualTo(
                        "{\"resource\":\"pods\",\"responseKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},"
                                + "\"scope\":\"Namespaced\",\"singularResource\":\"pod\",\"verbs\":[\"create\",\"delete\",\"get\","
                                + "\"list\",\"patch\",\"update\",\"watch\"],\"shortNames\":[\"po\"],\"categories\":[\"all\"],"
                                + "\"subresources\":[{\"subresource\":\"eviction\",\"responseKind\":{\"group\":\"policy\","
                                + "\"version\":\"v1\",\"kind\":\"Eviction\"},\"verbs\":[\"create\"]},{\"subresource\":\"status\","
                                + "\"responseKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},"
                                + "\"verbs\":[\"get\",\"patch\"]}]}");
        assertThat(groups.at("/items/0/metadata/name").asString()).isEqualTo("kip.elotl.co");
        assertThat(groups.at("/items/0/versions").size()).isEqualTo(2);
        assertThat(groups.at("/items/0/versions/0/version").asString())
                .as("the stable version comes first")
                .isEqualTo("v1");
    }

    @Test
    void a_client_that_holds_the_current_version_gets_304_until_a_kind_is_added() {
        Discovery before = new Discovery(ImmutableList.of(PODS, CELLS));
        Discovery after = new Discovery(ImmutableList.of(PODS, CELLS, OLD_CELLS));
        Optional<String> tag = Optional.of(before.answer("/apis", AGGREGATED, Optional.empty())
                .orElseThrow()
                .headers()
                .get("ETag"));

        assertThat(tag.orElseThrow()).matches("\"[0-9A-F]{128}\"");
        assertThat(before.answer("/apis", AGGREGATED, tag).orElseThrow().status())
                .isEqualTo(304);
        assertThat(after.answer("/apis", AGGREGATED, tag).orElseThrow().status())
                .isEqualTo(200);
    }

    @Test
    void drain_finds_evictions_in_the_plain_list_of_the_core_group() {
        Discovery discovery = new Discovery(ImmutableList.of(PODS));

        JsonNode list = body(discovery.answer("/api/v1", Optional.of("application/json, */*"), Optional.empty()));

        assertThat(list.path("kind").asString()).isEqualTo("APIResourceList");
        assertThat(list.path("groupVersion").asString()).isEqualTo("v1");
        assertThat(list.path("resources").get(1).toString())
                .isEqualTo("{\"name\":\"pods/eviction\",\"singularName\":\"\",\"namespaced\":true,\"group\":\"policy\","
                        + "\"version\":\"v1\",\"kind\":\"Eviction\",\"verbs\":[\"create\"]}");
        assertThat(list.path("resources").get(2).has("group")).isFalse();
    }

    @Test
    void a_client_that_knows_only_the_beta_gets_the_older_lists() {
        Discovery discovery = new Discovery(ImmutableList.of(PODS, CELLS));
        Optional<String> beta = Optional.of(
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json");

        assertThat(body(discovery.answer("/api", beta, Optional.empty()))
                        .path("kind")
                        .asString())
                .isEqualTo("APIVersions");
        assertThat(body(discovery.answer("/apis", beta, Optional.empty())).toString())
                .isEqualTo("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[{\"name\":\"kip.elotl.co\","
                        + "\"versions\":[{\"groupVersion\":\"kip.elotl.co/v1\",\"version\":\"v1\"}],"
                        + "\"preferredVersion\":{\"groupVersion\":\"kip.elotl.co/v1\",\"version\":\"v1\"}}]}");
        assertThat(body(discovery.answer("/apis/kip.elotl.co", beta, Optional.empty()))
                        .path("kind")
                        .asString())
                .isEqualTo("APIGroup");
    }

    @Test
    void what_is_not_served_is_not_found() {
        Discovery discovery = new Discovery(ImmutableList.of(PODS));

        assertThat(discovery.answer("/apis/nothing.example/v1", AGGREGATED, Optional.empty()))
                .isEmpty();
        assertThat(discovery.answer("/apis/nothing.example", AGGREGATED, Optional.empty()))
                .isEmpty();
        assertThat(discovery.answer("/api/v2", AGGREGATED, Optional.empty())).isEmpty();
        assertThat(discovery.answer("/", AGGREGATED, Optional.empty())).isEmpty();
    }
}
