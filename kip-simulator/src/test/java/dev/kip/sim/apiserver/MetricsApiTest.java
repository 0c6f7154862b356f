package dev.kip.sim.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code metrics.k8s.io} from what nodes tell, as metrics-server computes it. */
class MetricsApiTest {

    private static final String METRICS = "/apis/metrics.k8s.io/v1beta1";

    private final SimWire wire = new SimWire();
    private final RecordedNodes nodes = new RecordedNodes();
    private final Instant begun = wire.process.now().minus(Duration.ofHours(1));

    @BeforeEach
    void a_node_with_a_pod() {
        send("POST", "/api/v1/nodes", "{\"metadata\":{\"name\":\"n\",\"labels\":{\"kind\":\"virtual\"}}}");
        send("POST", "/api/v1/nodes", "{\"metadata\":{\"name\":\"without-kubelet\"}}");
        send("PATCH", "/api/v1/nodes/n/status", """
                {"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.9"}],
                 "daemonEndpoints":{"kubeletEndpoint":{"Port":10250}}}}""");
        send("POST", "/api/v1/namespaces/default/pods", """
                {"metadata":{"name":"web","labels":{"app":"web"}},
                 "spec":{"nodeName":"n","containers":[{"name":"c","image":"x"}]}}""");
        wire.server.reachNodes(nodes);
    }

    private JsonNode send(String method, String path, String body) {
        return JsonMapper.shared()
                .readTree(wire.open(
                                method,
                                path,
                                ImmutableMap.of(
                                        "content-type",
                                        method.equals("PATCH") ? "application/merge-patch+json" : "application/json"),
                                body.getBytes(UTF_8))
                        .answer()
                        .body());
    }

    private JsonNode get(String path) {
        return send("GET", METRICS + path, "");
    }

    /** What the node tells at its next scrape. */
    private void tells(double cpuSeconds, long bytes, Instant start) {
        long now = wire.process.now().plusSeconds(1).toEpochMilli();
        nodes.answers.put("10.0.0.9", """
                # TYPE container_cpu_usage_seconds_total counter
                container_cpu_usage_seconds_total{container="c",namespace="default",pod="web"} %1$s %3$d
                container_memory_working_set_bytes{container="c",namespace="default",pod="web"} %2$d %3$d
                container_start_time_seconds{container="c",namespace="default",pod="web"} %4$s
                pod_cpu_usage_seconds_total{namespace="default",pod="web"} %1$s %3$d
                node_cpu_usage_seconds_total %1$s %3$d
                node_memory_working_set_bytes %2$d %3$d
                """.formatted(cpuSeconds, bytes, now, start.toEpochMilli() / 1000.0));
        wire.kernel.runFor(Duration.ofSeconds(15));
    }

    @Test
    void use_is_the_difference_of_two_samples() {
        tells(100, 8 << 20, begun);
        assertThat(get("/nodes").path("items")).isEmpty();
        tells(103, 9 << 20, begun);

        JsonNode pod = get("/namespaces/default/pods").path("items").path(0);
        assertThat(pod.at("/metadata/name").asString("")).isEqualTo("web");
        assertThat(pod.at("/containers/0/name").asString("")).isEqualTo("c");
        assertThat(pod.at("/containers/0/usage/cpu").asString("")).isEqualTo("200m");
        assertThat(pod.at("/containers/0/usage/memory").asString("")).isEqualTo("9Mi");
        assertThat(pod.path("window").asString("")).isEqualTo("15s");
        JsonNode node = get("/nodes/n");
        assertThat(node.path("kind").asString("")).isEqualTo("NodeMetrics");
        assertThat(node.at("/usage/cpu").asString("")).isEqualTo("200m");
    }

    @Test
    void MET_03_a_counter_that_begins_anew_gives_no_negative_use() {
        tells(100, 1 << 20, begun);
        tells(103, 1 << 20, begun);
        Instant again = wire.process.now();
        tells(0.5, 1 << 20, again);

        JsonNode pod = get("/namespaces/default/pods/web");
        // It has just begun: what it used since its start is its use.
        assertThat(pod.at("/containers/0/usage/cpu").asString("")).isEqualTo("500m");
        assertThat(get("/nodes").path("items"))
                .as("its counter fell, unexplained")
                .isEmpty();
    }

    @Test
    void what_is_not_measured_is_not_found_and_not_listed() {
        tells(100, 1 << 20, begun);
        tells(101, 1 << 20, begun);

        assertThat(get("/namespaces/default/pods/none").path("message").asString(""))
                .isEqualTo("pods.metrics.k8s.io \"default/none\" not found");
        assertThat(get("/nodes/without-kubelet").path("code").asInt()).isEqualTo(404);
        assertThat(get("/pods?labelSelector=app%3Dother").path("items")).isEmpty();
        assertThat(get("/pods?labelSelector=app%3Dweb").path("items")).hasSize(1);
        assertThat(get("/nodes?labelSelector=kind%3Dvirtual").path("items")).hasSize(1);
    }

    @Test
    void MET_04_a_pod_that_the_node_tells_of_no_more_has_no_use() {
        tells(100, 1 << 20, begun);
        tells(101, 1 << 20, begun);
        send("DELETE", "/api/v1/namespaces/default/pods/web?gracePeriodSeconds=0", "");
        assertThat(get("/pods").path("items")).isEmpty();
    }

    @Test
    void each_node_with_a_kubelet_is_asked_every_15_seconds() {
        wire.kernel.runFor(Duration.ofMinutes(5));

        assertThat(nodes.asked).hasSize(21); // the first at once
        assertThat(nodes.asked).allMatch(onward -> onward.uri().equals("/metrics/resource"));
    }

    @Test
    void discovery_shows_the_group_once_nodes_can_be_reached() {
        JsonNode group = send("GET", METRICS, "");
        assertThat(group.path("resources")
                        .valueStream()
                        .map(each -> each.path("kind").asString("")))
                .containsExactly("NodeMetrics", "PodMetrics");
        assertThat(send("GET", "/apis", "").toString()).contains("metrics.k8s.io/v1beta1");
    }
}
