package dev.kip.sim.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.Forwarder.Onward;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an API server asks of a kubelet when it is asked for logs and streams, and how it words a kubelet's refusal. */
class NodeStreamsTest {

    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final SimWire wire = new SimWire();
    private final RecordedNodes nodes = new RecordedNodes();

    @BeforeEach
    void a_pod_on_a_node() {
        send("POST", "/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"}}");
        send("PATCH", "/api/v1/nodes/n/status", """
                {"status":{"addresses":[{"type":"Hostname","address":"n"},{"type":"InternalIP","address":"10.0.0.9"}],
                 "daemonEndpoints":{"kubeletEndpoint":{"Port":10250}}}}""");
        send("POST", PODS, """
                {"metadata":{"name":"web"},"spec":{"nodeName":"n","initContainers":[{"name":"i","image":"x"}],
                 "containers":[{"name":"c","image":"x"}]}}""");
        send("POST", PODS, """
                {"metadata":{"name":"two"},"spec":{"nodeName":"n",
                 "containers":[{"name":"a","image":"x"},{"name":"b","image":"x"}]}}""");
        send(
                "POST",
                PODS,
                "{\"metadata\":{\"name\":\"loose\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}");
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

    /** What the kubelet is asked for. */
    private String handed(String method, String path) {
        wire.open(method, path, ImmutableMap.of(), new byte[0]);
        assertThat(nodes.handed).isNotEmpty();
        Onward last = nodes.handed.get(nodes.handed.size() - 1);
        assertThat(last.host()).isEqualTo("10.0.0.9");
        assertThat(last.port()).isEqualTo(10250);
        return last.uri();
    }

    private String refused(String method, String path) {
        int before = nodes.handed.size();
        JsonNode status = send(method, path, "");
        assertThat(nodes.handed).hasSize(before);
        return status.path("code").asInt() + " " + status.path("message").asString("");
    }

    @Test
    void KAPI_02_all_options_of_a_log_are_passed_on_and_no_others() {
        assertThat(handed(
                        "GET",
                        PODS + "/web/log?follow=true&previous=true&sinceSeconds=10&timestamps=true&tailLines=5"
                                + "&limitBytes=100&sinceTime=2026-01-01T00%3A00%3A00Z&pretty=true&container=c"))
                .isEqualTo("/containerLogs/default/web/c?follow=true&previous=true&sinceSeconds=10&timestamps=true"
                        + "&tailLines=5&limitBytes=100&sinceTime=2026-01-01T00%3A00%3A00Z");
        assertThat(handed("GET", PODS + "/web/log")).isEqualTo("/containerLogs/default/web/c");
        assertThat(handed("GET", PODS + "/web/log?container=i")).isEqualTo("/containerLogs/default/web/i");
    }

    @Test
    void exec_is_asked_in_a_kubelets_words() {
        assertThat(
                        handed(
                                "POST",
                                PODS
                                        + "/web/exec?command=sh&command=-c&command=a%20b%26c&stdin=true&stdout=1&stderr=false&tty=true"))
                .isEqualTo("/exec/default/web/c?input=1&output=1&tty=1&command=sh&command=-c&command=a+b%26c");
        assertThat(handed("GET", PODS + "/web/attach?stdout=true&stderr=true"))
                .isEqualTo("/attach/default/web/c?output=1&error=1");
    }

    @Test
    void port_forward_needs_no_container() {
        assertThat(handed("POST", PODS + "/two/portforward")).isEqualTo("/portForward/default/two");
        assertThat(handed("GET", PODS + "/two/portforward?ports=80")).isEqualTo("/portForward/default/two?port=80");
    }

    @Test
    void what_cannot_be_asked_of_a_kubelet_is_refused_before() {
        assertThat(refused("GET", PODS + "/two/log"))
                .isEqualTo("400 a container name must be specified for pod two, choose one of: [a b]");
        assertThat(refused("GET", PODS + "/web/log?container=x")).isEqualTo("400 container x is not valid for pod web");
        assertThat(refused("GET", PODS + "/loose/log")).isEqualTo("400 pod loose does not have a host assigned");
        assertThat(refused("GET", PODS + "/none/log")).startsWith("404 pods \"none\" not found");
    }

    @Test
    void a_kubelets_refusal_becomes_a_status() {
        handed("GET", PODS + "/web/log");
        JsonNode status = JsonMapper.shared()
                .readTree(nodes.handed.get(0).problems().word(404, "container \"c\" not found in pod \"web\"\n"));

        assertThat(status.path("kind").asString("")).isEqualTo("Status");
        assertThat(status.path("code").asInt()).isEqualTo(404);
        assertThat(status.path("message").asString("")).contains("container \"c\" not found in pod \"web\"");
        assertThat(nodes.handed.get(0).problems().contentType()).contains("application/json");
    }

    @Test
    void without_a_way_to_nodes_it_is_not_implemented() {
        SimWire alone = new SimWire();
        assertThat(alone.open("GET", PODS + "/web/log", ImmutableMap.of(), new byte[0])
                        .answer()
                        .status())
                .isEqualTo(404);
        assertThat(alone.open("GET", "/apis/metrics.k8s.io/v1beta1/nodes", ImmutableMap.of(), new byte[0])
                        .answer()
                        .status())
                .isEqualTo(404);
    }
}
