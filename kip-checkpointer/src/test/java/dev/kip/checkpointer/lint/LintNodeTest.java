package dev.kip.checkpointer.lint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.kip.checkpointer.cli.KipCheckpointer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code lint --node}: what an API server, behind a real socket, has on a node. */
class LintNodeTest {

    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node",
             "metadata": {"name": "master-1", "labels": {"node-role.kubernetes.io/control-plane": ""}},
             "status": {"allocatable": {"cpu": "1", "memory": "1Gi"},
               "nodeInfo": {"kubeletVersion": "v1.33.2", "architecture": "arm64"}}}
            """;

    /** A pod of a DaemonSet with what such pods have, one with a claim, and a mirror pod. */
    private static final String PODS = """
            {"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [
              {"metadata": {"name": "proxy-x", "namespace": "kube-system", "uid": "u1"},
               "spec": {"nodeName": "master-1", "serviceAccountName": "proxy", "hostNetwork": true,
                 "nodeSelector": {"node-role.kubernetes.io/control-plane": ""},
                 "containers": [{"name": "c", "image": "proxy:1", "volumeMounts": [{"name": "t", "mountPath": "/t"}]}],
                 "volumes": [{"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]}},
              {"metadata": {"name": "database-0", "namespace": "shop", "uid": "u2"},
               "spec": {"nodeName": "master-1", "containers": [{"name": "c", "image": "database:1"}],
                 "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}},
              {"metadata": {"name": "etcd-master-1", "namespace": "kube-system", "uid": "u3",
                 "annotations": {"kubernetes.io/config.mirror": "abc"}},
               "spec": {"nodeName": "master-1", "containers": [{"name": "c", "image": "etcd:3"}]}}]}
            """;

    private final List<String> asked = new CopyOnWriteArrayList<>();

    @TempDir
    private Path directory;

    private HttpServer server;

    private record Ran(int exit, String out, String err) {}

    @BeforeEach
    void anApiServerListens() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        Files.writeString(directory.resolve("kubeconfig"), """
                {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                 "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                 "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:%d"}}],
                 "users": [{"name": "u", "user": {"token": "secret-token"}}]}
                """.formatted(
                        server.getAddress().getPort()));
    }

    @AfterEach
    void itStops() {
        server.stop(0);
    }

    private void answer(HttpExchange call) throws IOException {
        asked.add(call.getRequestMethod() + " " + call.getRequestURI().getPath());
        String body = switch (call.getRequestURI().getPath()) {
            case "/api/v1/nodes/master-1" -> NODE;
            case "/api/v1/pods" -> PODS;
            default -> """
                {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
                 "message": "nodes \\"elsewhere\\" not found"}
                """;
        };
        byte[] bytes = body.getBytes(UTF_8);
        call.getResponseHeaders().add("content-type", "application/json");
        call.sendResponseHeaders(body.contains("Failure") ? 404 : 200, bytes.length);
        call.getResponseBody().write(bytes);
        call.close();
    }

    private Ran lint(String... more) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> arguments = new ArrayList<>(
                List.of("lint", "--kubeconfig", directory.resolve("kubeconfig").toString()));
        arguments.addAll(List.of(more));
        int exit = KipCheckpointer.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments.toArray(String[]::new));
        return new Ran(exit, out.toString(), err.toString());
    }

    @Test
    void the_pods_of_a_node_are_judged_as_checkpoints_on_the_kubelet_that_it_has() {
        Ran ran = lint("--node", "master-1", "-o", "json");

        assertThat(ran.exit()).as(ran.err()).isEqualTo(1);
        JsonNode json = JsonMapper.shared().readTree(ran.out());
        assertThat(json.toString()).contains("1.33.2").doesNotContain("etcd-master-1", "secret-token");
        assertThat(ran.out()).contains("proxy-x", "database-0", "persistentVolumeClaim");
        assertThat(asked).containsExactly("GET /api/v1/nodes/master-1", "GET /api/v1/pods");
    }

    @Test
    void the_table_says_which_of_them_does_not_come_back_and_why() {
        Ran ran = lint("--node", "master-1");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out()).contains("shop/database-0", "a claim must be resolved through the API server");
    }

    @Test
    void another_kubelet_can_be_asked_about() {
        assertThat(lint("--node", "master-1", "--kubelet", "1.37", "-o", "json").out())
                .contains("1.37")
                .doesNotContain("1.33.2");
    }

    @Test
    void a_node_that_is_not_there_is_named() {
        Ran ran = lint("--node", "elsewhere");

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("elsewhere").contains("not found");
    }

    @Test
    void an_api_server_that_is_away_is_an_error_and_no_verdict() {
        server.stop(0);
        Ran ran = lint("--node", "master-1");

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).isNotEmpty();
    }
}
