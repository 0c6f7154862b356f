package dev.kip.controller.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.world.FakeProcess;
import dev.kip.controller.world.VirtualTime;
import dev.kip.kube.KubeError;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KubeletServiceTest {

    private final ScriptedKube kube = new ScriptedKube();
    private final PaperCells cells = new PaperCells();
    private final KubeletService service = new KubeletService(
            new FakeProcess(new VirtualTime()),
            kube,
            cells.kubelets,
            call -> call.respond(200, ImmutableMap.of(), "own".getBytes(java.nio.charset.StandardCharsets.UTF_8)),
            "kip",
            2);

    @BeforeEach
    void a_pod_in_its_cell() {
        kube.pod("ns", "web", "u1", "kip", "Running");
        kube.pod("ns", "waiting", "u2", "kip", "Pending");
        kube.pod("ns", "elsewhere", "u3", "other", "Running");
        cells.runs("u1", "web", "i-1");
    }

    private String ask(String method, String path) {
        Asked call = Asked.by("kube-apiserver", method, path);
        service.handle(call);
        return call.answer().orElse("handed on");
    }

    @Test
    void exec_is_handed_to_the_cells_kubelet_under_its_name_for_the_pod() {
        Asked call = Asked.by("kube-apiserver", "POST", "/exec/ns/web/c")
                .query(ImmutableListMultimap.of("command", "sh", "command", "a b&c", "input", "1"));
        service.handle(call);

        assertThat(cells.handed).hasSize(1);
        assertThat(cells.handed.get(0).onward.host()).isEqualTo("i-1.example");
        assertThat(cells.handed.get(0).onward.uri()).isEqualTo("/exec/ns/web-i-1/c?command=sh&command=a+b%26c&input=1");
        assertThat(cells.handed.get(0).onward.problems().word(400, "pod web-i-1 is odd"))
                .isEqualTo("pod web is odd");
    }

    @Test
    void init_containers_have_logs_and_what_is_no_container_has_none() {
        assertThat(ask("GET", "/containerLogs/ns/web/i")).isEqualTo("handed on");
        assertThat(ask("GET", "/containerLogs/ns/web/x")).isEqualTo("404 container \"x\" not found in pod \"web\"\n");
        assertThat(ask("POST", "/exec/ns/web/x")).isEqualTo("404 container not found (\"x\")\n");
    }

    @Test
    void a_pod_of_another_node_is_none_of_ours() {
        assertThat(ask("GET", "/containerLogs/ns/elsewhere/c")).isEqualTo("404 pod \"elsewhere\" not found\n");
        assertThat(ask("POST", "/portForward/ns/elsewhere")).isEqualTo("404 pod does not exist\n");
    }

    @Test
    void a_pod_that_no_cell_runs_yet_says_so() {
        assertThat(ask("GET", "/containerLogs/ns/waiting/c"))
                .startsWith("400 container \"c\" in pod \"waiting\" is waiting");
        assertThat(ask("POST", "/exec/ns/waiting/c")).startsWith("404 container not found (\"c\"): no cell");
        assertThat(ask("POST", "/portForward/ns/waiting")).startsWith("404 pod not found (\"waiting_ns\")");
    }

    @Test
    void one_stream_too_many_is_refused_until_another_has_ended() {
        ask("POST", "/exec/ns/web/c");
        ask("POST", "/portForward/ns/web");
        assertThat(ask("POST", "/attach/ns/web/c")).startsWith("503 there are 2 streams");

        cells.handed.get(0).ended.run();
        assertThat(service.streams()).isEqualTo(1);
        assertThat(ask("POST", "/attach/ns/web/c")).isEqualTo("handed on");
    }

    @Test
    void a_cell_that_dies_ends_its_streams() {
        ask("POST", "/exec/ns/web/c");
        cells.misses("i-1");
        cells.misses("i-1");

        assertThat(cells.handed.get(0).aborted).isTrue();
    }

    @Test
    void the_nodes_pods_are_those_of_the_API_server() {
        assertThat(ask("GET", "/pods")).contains("\"name\":\"web\"").contains("\"name\":\"waiting\"");
        assertThat(ask("GET", "/runningpods/")).contains("\"name\":\"web\"").doesNotContain("\"name\":\"waiting\"");
        assertThat(kube.lists).allMatch(query -> query.contains("spec.nodeName=kip"));
    }

    @Test
    void what_a_kubelet_has_besides() {
        assertThat(ask("GET", "/healthz")).isEqualTo("200 ok");
        assertThat(ask("GET", "/metrics")).isEqualTo("200 own");
        assertThat(ask("GET", "/configz")).isEqualTo("404 404 page not found\n");
        assertThat(ask("DELETE", "/pods")).isEqualTo("405 405: Method Not Allowed");
    }

    @Test
    void an_API_server_that_does_not_answer_is_named() {
        kube.access = spec -> true;
        ask("GET", "/pods"); // the right is remembered
        ask("POST", "/exec/ns/web/c");
        kube.refusal = Optional.of(new KubeError.NoAnswer("no route"));

        assertThat(ask("GET", "/pods")).isEqualTo("500 the pods cannot be listed: no route\n");
        assertThat(ask("POST", "/exec/ns/web/c")).isEqualTo("500 the pod cannot be read: no route\n");
    }

    @Test
    void MET_06_figures_are_on_the_port_of_the_kubelet_API_for_those_who_may() {
        Asked stranger = Asked.anonymously("/stats/summary");
        service.handle(stranger);
        assertThat(stranger.answer()).contains("401 Unauthorized");

        kube.access = spec -> false;
        assertThat(ask("GET", "/metrics/resource")).startsWith("403 Forbidden");
        kube.access = spec -> true;
        assertThat(ask("GET", "/stats/summary")).startsWith("200 {\"node\":{\"nodeName\":\"kip\"");
    }
}
