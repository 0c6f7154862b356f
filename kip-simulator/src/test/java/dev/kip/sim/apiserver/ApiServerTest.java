package dev.kip.sim.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.apiserver.ApiServerSettings.ExpiredWatch;
import dev.kip.sim.apiserver.SimWire.Call;
import dev.kip.sim.apiserver.store.Store;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a request and its answer alone cannot show: time, compaction, snapshots, identity, the client within. */
class ApiServerTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SECRETS = "/api/v1/namespaces/default/secrets";

    private SimWire wire = new SimWire();

    private Call open(String method, String path, String body) {
        return wire.open(
                method,
                path,
                ImmutableMap.of("content-type", "application/json"),
                body.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode send(String method, String path, String body) {
        return JSON.readTree(open(method, path, body).answer().body());
    }

    private String secret(String name) {
        return send("POST", SECRETS, "{\"metadata\":{\"name\":\"" + name + "\"}}")
                .at("/metadata/resourceVersion")
                .asString("");
    }

    private static List<JsonNode> events(Call call) {
        List<JsonNode> events = new ArrayList<>();
        for (String line : new String(call.answer().body(), StandardCharsets.UTF_8).split("\n", -1)) {
            if (!line.isBlank()) {
                events.add(JSON.readTree(line));
            }
        }
        return events;
    }

    @Test
    void events_arrive_while_the_watch_is_open_and_stop_when_the_client_leaves() {
        String version = secret("a");
        Call watch = open("GET", SECRETS + "?watch=true&resourceVersion=" + version, "");

        secret("b");
        assertThat(events(watch)).hasSize(1);
        assertThat(wire.server.openWatches()).isEqualTo(1);

        watch.leave();
        secret("c");
        assertThat(events(watch)).hasSize(1);
        assertThat(wire.server.openWatches()).isZero();
    }

    @Test
    void a_watch_from_compacted_history_gets_an_error_event() {
        String version = secret("a");
        secret("b");
        wire.server.compact();

        Call watch = open("GET", SECRETS + "?watch=true&resourceVersion=" + version, "");

        assertThat(watch.answer().status()).isEqualTo(200);
        assertThat(watch.ended).isTrue();
        JsonNode event = events(watch).get(0);
        assertThat(event.path("type").asString("")).isEqualTo("ERROR");
        assertThat(event.at("/object/code").asInt()).isEqualTo(410);
        assertThat(event.at("/object/reason").asString("")).isEqualTo("Expired");
    }

    @Test
    void a_watch_from_compacted_history_can_also_fail_at_once() {
        wire = new SimWire(ApiServerSettings.DEFAULT.withExpiredWatch(ExpiredWatch.AS_STATUS));
        String version = secret("a");
        secret("b");
        wire.server.compact();

        Call watch = open("GET", SECRETS + "?watch=true&resourceVersion=" + version, "");

        assertThat(watch.answer().status()).isEqualTo(410);
    }

    @Test
    void a_watch_from_the_compacted_revision_itself_goes_on() {
        String version = secret("a");
        wire.server.compact();
        secret("b");

        Call watch = open("GET", SECRETS + "?watch=true&resourceVersion=" + version, "");

        assertThat(events(watch)).hasSize(1);
    }

    @Test
    void the_next_page_expires_with_compaction_and_offers_an_inconsistent_rest() {
        secret("a");
        secret("b");
        secret("c");
        JsonNode first = send("GET", SECRETS + "?limit=1", "");
        send("DELETE", SECRETS + "/b", "");
        wire.server.compact();

        Call second = open(
                "GET",
                SECRETS + "?limit=1&continue=" + first.at("/metadata/continue").asString(""),
                "");
        assertThat(second.answer().status()).isEqualTo(410);
        JsonNode expired = JSON.readTree(second.answer().body());
        assertThat(expired.path("reason").asString("")).isEqualTo("Expired");

        JsonNode rest = send(
                "GET",
                SECRETS + "?limit=5&continue="
                        + expired.at("/metadata/continue").asString(""),
                "");
        assertThat(rest.path("items").size()).isEqualTo(1);
        assertThat(rest.at("/items/0/metadata/name").asString("")).isEqualTo("c");
    }

    @Test
    void an_exact_read_of_compacted_history_is_expired() {
        String version = secret("a");
        secret("b");
        wire.server.compact();

        Call list = open("GET", SECRETS + "?resourceVersion=" + version + "&resourceVersionMatch=Exact", "");

        assertThat(list.answer().status()).isEqualTo(410);
    }

    @Test
    void history_is_compacted_by_itself_an_interval_or_two_later() {
        String version = secret("a");
        secret("b");
        wire.kernel.runFor(Duration.ofMinutes(6));
        secret("c");
        Call after6 = open("GET", SECRETS + "?watch=true&resourceVersion=" + version, "");
        assertThat(events(after6))
                .extracting(event -> event.path("type").asString(""))
                .doesNotContain("ERROR");
        after6.leave();

        wire.kernel.runFor(Duration.ofMinutes(6));
        Call after12 = open("GET", SECRETS + "?watch=true&resourceVersion=" + version, "");
        assertThat(events(after12))
                .extracting(event -> event.path("type").asString(""))
                .containsExactly("ERROR");
    }

    @Test
    void history_is_bounded_by_count_as_well() {
        wire = new SimWire(ApiServerSettings.DEFAULT.withHistoryLimit(10));
        String version = secret("a");
        for (int i = 0; i < 20; i++) {
            secret("s" + i);
        }

        Call watch = open("GET", SECRETS + "?watch=true&resourceVersion=" + version, "");

        assertThat(events(watch))
                .extracting(event -> event.path("type").asString(""))
                .containsExactly("ERROR");
    }

    @Test
    void bookmarks_come_every_minute_and_tell_how_far_the_store_is() {
        String version = secret("a");
        Call watch = open(
                "GET",
                SECRETS + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=150&resourceVersion=" + version,
                "");
        send("POST", "/api/v1/namespaces/default/configmaps", "{\"metadata\":{\"name\":\"elsewhere\"}}");

        wire.kernel.runFor(Duration.ofSeconds(200));

        assertThat(watch.ended).isTrue();
        assertThat(events(watch))
                .extracting(event -> event.path("type").asString(""))
                .containsExactly("BOOKMARK", "BOOKMARK", "BOOKMARK");
        assertThat(events(watch).get(0).at("/object/metadata/resourceVersion").asString(""))
                .isEqualTo(Long.toString(wire.server.revision()));
    }

    @Test
    void a_watch_without_a_timeout_ends_within_an_hour() {
        Call watch = open("GET", SECRETS + "?watch=true", "");

        wire.kernel.runFor(Duration.ofMinutes(29));
        assertThat(watch.ended).isFalse();
        wire.kernel.runFor(Duration.ofMinutes(32));
        assertThat(watch.ended).isTrue();
    }

    @Test
    void a_watch_can_run_over_a_web_socket() {
        String version = secret("a");
        Call watch = wire.open(
                "GET",
                SECRETS + "?watch=true&timeoutSeconds=10&resourceVersion=" + version,
                ImmutableMap.of("Upgrade", "websocket"),
                new byte[0]);
        secret("b");

        assertThat(watch.answer().status()).isEqualTo(101);
        assertThat(events(watch))
                .extracting(event -> event.at("/object/metadata/name").asString(""))
                .containsExactly("b");
        wire.kernel.runFor(Duration.ofSeconds(11));
        assertThat(watch.ended).isTrue();
    }

    @Test
    void events_are_gone_an_hour_after_they_last_changed() {
        String body =
                "{\"metadata\":{\"name\":\"%s\"},\"involvedObject\":{\"namespace\":\"default\",\"kind\":\"Pod\",\"name\":\"p\"}}";
        send("POST", "/api/v1/namespaces/default/events", body.formatted("old"));
        send("POST", "/api/v1/namespaces/default/events", body.formatted("kept"));
        wire.kernel.runFor(Duration.ofMinutes(30));
        wire.open(
                "PATCH",
                "/api/v1/namespaces/default/events/kept",
                ImmutableMap.of("content-type", "application/merge-patch+json"),
                "{\"count\":2}".getBytes(StandardCharsets.UTF_8));
        Call watch = open(
                "GET", "/api/v1/events?watch=true&timeoutSeconds=7200&resourceVersion=" + wire.server.revision(), "");

        wire.kernel.runFor(Duration.ofMinutes(31));
        assertThat(send("GET", "/api/v1/events", "")
                        .at("/items/0/metadata/name")
                        .asString(""))
                .isEqualTo("kept");
        assertThat(events(watch))
                .extracting(event -> event.path("type").asString(""))
                .containsExactly("DELETED");

        wire.kernel.runFor(Duration.ofMinutes(30));
        assertThat(send("GET", "/api/v1/events", "").path("items").size()).isZero();
    }

    @Test
    void a_snapshot_brings_back_objects_versions_and_definitions() {
        secret("a");
        send(
                "POST",
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                "{\"metadata\":{\"name\":\"things.ex.test\"},\"spec\":{\"group\":\"ex.test\",\"scope\":\"Cluster\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}");
        Store.Snapshot snapshot = wire.server.snapshot();
        secret("b");
        send("DELETE", SECRETS + "/a", "");
        send("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.ex.test", "");
        wire.kernel.runFor(Duration.ofSeconds(1));
        Call watch = open("GET", SECRETS + "?watch=true", "");

        wire.server.restore(snapshot);

        assertThat(watch.ended).isTrue();
        assertThat(wire.server.revision()).isEqualTo(snapshot.revision());
        JsonNode secrets = send("GET", SECRETS, "");
        assertThat(secrets.path("items").size()).isEqualTo(1);
        assertThat(secrets.at("/items/0/metadata/name").asString("")).isEqualTo("a");
        assertThat(open("GET", "/apis/ex.test/v1/things", "").answer().status()).isEqualTo(200);
    }

    @Test
    void a_snapshot_survives_a_file_and_another_process() {
        String version = secret("a");
        String file = wire.server.snapshot().toJson(JSON.createObjectNode()).toString();

        SimWire other = new SimWire();
        other.server.restore(Store.Snapshot.fromJson((ObjectNode) JSON.readTree(file)));
        wire = other;

        assertThat(send("GET", SECRETS + "/a", "")
                        .at("/metadata/resourceVersion")
                        .asString(""))
                .isEqualTo(version);
        assertThat(secret("b")).isEqualTo(Long.toString(Long.parseLong(version) + 1));
    }

    @Test
    void with_tokens_set_up_nobody_else_is_let_in() {
        wire = new SimWire(ApiServerSettings.DEFAULT.withTokens(ImmutableMap.of("secret", "alice")));

        Call nobody = open("GET", "/api/v1/pods", "");
        assertThat(nobody.answer().status()).isEqualTo(401);
        assertThat(JSON.readTree(nobody.answer().body()).path("reason").asString(""))
                .isEqualTo("Unauthorized");
        Call wrong = wire.open("GET", "/api/v1/pods", ImmutableMap.of("Authorization", "Bearer guess"), new byte[0]);
        assertThat(wrong.answer().status()).isEqualTo(401);
        Call alice = wire.open("GET", "/api/v1/pods", ImmutableMap.of("Authorization", "Bearer secret"), new byte[0]);
        assertThat(alice.answer().status()).isEqualTo(200);
    }

    @Test
    void the_client_within_is_held_to_the_same_rules() {
        ApiClient client = wire.server.client();
        ResourceType pods = client.resource("", "pods");
        ObjectNode invalid = JSON.createObjectNode();
        invalid.putObject("metadata").put("name", "p");

        assertThatThrownBy(() -> client.create(pods, "default", invalid))
                .isInstanceOfSatisfying(
                        ApiFailure.class,
                        failure -> assertThat(failure.reason()).isEqualTo("Invalid"));
    }

    @Test
    void what_the_client_within_is_handed_is_a_copy() {
        secret("a");
        ApiClient client = wire.server.client();
        ResourceType secrets = client.resource("", "secrets");

        client.get(secrets, "default", "a").orElseThrow().put("type", "changed");
        client.list(secrets, "default").get(0).put("type", "changed");

        assertThat(client.get(secrets, "default", "a")
                        .orElseThrow()
                        .path("type")
                        .asString(""))
                .isEqualTo("Opaque");
    }

    @Test
    void the_client_within_hears_of_changes_by_anyone() {
        ApiClient client = wire.server.client();
        List<String> heard = new ArrayList<>();
        client.onChange(
                client.resource("", "secrets"),
                (event, object) ->
                        heard.add(event + " " + object.at("/metadata/name").asString("")));

        secret("a");
        send("PUT", SECRETS + "/a", "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}}}");
        send("DELETE", SECRETS + "/a", "");
        assertThat(heard).as("told later, on the loop").isEmpty();
        wire.kernel.runFor(Duration.ofSeconds(1));

        assertThat(heard).containsExactly("ADDED a", "MODIFIED a", "DELETED a");
    }

    @Test
    void generated_names_do_not_collide() {
        for (int i = 0; i < 1000; i++) {
            open("POST", SECRETS, "{\"metadata\":{\"generateName\":\"n-\"}}");
        }

        assertThat(send("GET", SECRETS, "").path("items").size()).isEqualTo(1000);
    }

    @Test
    void equal_seeds_make_equal_servers() {
        SimWire one = new SimWire();
        SimWire two = new SimWire();

        assertThat(one.server.snapshot().toJson(JSON.createObjectNode()))
                .isEqualTo(two.server.snapshot().toJson(JSON.createObjectNode()));
    }
}
