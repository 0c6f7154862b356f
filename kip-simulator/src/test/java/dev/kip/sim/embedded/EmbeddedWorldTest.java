package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kip.sim.Programs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code kip up} as its users meet it: real sockets, the production controller, and kubectl where it is installed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmbeddedWorldTest {

    @TempDir
    private static Path data;

    private EmbeddedWorld world;

    @BeforeAll
    void start() throws IOException {
        world = EmbeddedWorld.start(new EmbeddedWorld.Wish(data.resolve("world"), 0, false, false), doing -> {});
    }

    @AfterAll
    void end() throws IOException {
        world.close();
        assertThat(data.resolve("world/kubeconfig")).doesNotExist();
        assertThat(data.resolve("world/endpoints.json")).doesNotExist();
    }

    @Test
    void its_files_are_private_and_say_where_things_answer() throws Exception {
        // The world is kept meanwhile: kept/.world.json.new comes and goes. It is listed, not looked at.
        try (var files = Files.list(data.resolve("world"));
                var kept = Files.list(data.resolve("world/kept"))) {
            assertThat(Stream.concat(files, kept)
                            .filter(file -> !file.toString().endsWith(".new") && Files.isRegularFile(file)))
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .as(file.toString())
                            .isEqualTo("rw-------"));
        }
        assertThat(Files.readString(data.resolve("world/endpoints.json")))
                .contains(
                        world.endpoints().kubernetes(),
                        world.endpoints().ec2(),
                        world.endpoints().metrics(),
                        world.endpoints().health());
        assertThat(get(world.endpoints().health()).statusCode()).isEqualTo(200);
        assertThat(get(world.endpoints().metrics()).body()).contains("kip_leader");
    }

    @Test
    void kubectl_tells_the_whole_story() throws Exception {
        assumeTrue(Programs.find("kubectl").isPresent(), "skipped: kubectl is not on PATH");
        Path nginx = Path.of("..", "examples", "nginx.yaml");
        assertThat(kubectl("get", "nodes")).contains("virtual-kubelet   Ready");
        assertThat(kubectl("apply", "-f", nginx.toString())).contains("deployment.apps/nginx created");
        assertThat(kubectl("create", "deployment", "web", "--image=nginx", "--replicas=3"))
                .contains("deployment.apps/web created");
        assertThat(kubectl("rollout", "status", "deployment/nginx", "--timeout=120s"))
                .contains("successfully rolled out");
        assertThat(kubectl("wait", "--for=condition=Ready", "pod", "--all", "--timeout=120s"))
                .contains("condition met");
        assertThat(kubectl("get", "cells", "-o", "wide").lines().findFirst().orElse(""))
                .matches("NAME +POD NAME +POD NAMESPACE +NODE +LAUNCH TYPE +INSTANCE TYPE +INSTANCE ID +IP +AGE +"
                        + "CONTROLLER ID");
        assertThat(kubectl("get", "cells", "--no-headers").lines()).hasSize(5);
        assertThat(kubectl("get", "pods", "-o", "wide"))
                .contains("1/1     Running")
                .contains("virtual-kubelet");
        assertThat(kubectl("describe", "pod", "-l", "app=web")).contains("CellBound", "Running on instance");
        assertThat(kubectl("apply", "-f", nginx.toString())).contains("unchanged");
        assertThat(kubectl("scale", "deployment/web", "--replicas=1")).contains("scaled");
        assertThat(kubectl("label", "deployment/web", "tier=front")).contains("labeled");
        assertThat(kubectl("annotate", "deployment/web", "note=x")).contains("annotated");
        assertThat(kubectl("patch", "deployment/web", "-p", "{\"spec\":{\"paused\":false}}"))
                .contains("patched");
        assertThat(kubectl(
                        "patch", "deployment/web", "--type=merge", "-p", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"))
                .contains("patched");
        assertThat(kubectl(
                        "patch",
                        "deployment/web",
                        "--type=json",
                        "-p",
                        "[{\"op\":\"remove\",\"path\":\"/metadata/labels/a\"}]"))
                .contains("patched");
        assertThat(kubectl("api-resources")).contains("cells", "cl ", "kip.elotl.co/v1");
        String pod = kubectl("get", "pods", "-l", "app=nginx", "-o", "name")
                .lines()
                .findFirst()
                .orElseThrow();
        kubectl("delete", pod);
        assertThat(kubectl("get", pod, "--ignore-not-found"))
                .as("delete returns when it is gone")
                .isEmpty();
        kubectl("delete", "deployment", "nginx", "web");
        kubectl("wait", "--for=delete", "pod", "--all", "--timeout=120s");
        kubectl("wait", "--for=delete", "cells", "--all", "--timeout=120s");
        assertThat(kubectl("get", "pods,cells,launchbatches")).contains("No resources found");
    }

    @Test
    void a_port_in_use_is_an_error_that_says_what_to_do() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            EmbeddedWorld.Wish wish = new EmbeddedWorld.Wish(data.resolve("other"), taken.getLocalPort(), false, false);
            assertThatThrownBy(() -> EmbeddedWorld.start(wish, doing -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("port " + taken.getLocalPort())
                    .hasMessageContaining("--ports 0");
        }
    }

    @Test
    void a_second_world_in_the_same_folder_is_refused_and_the_first_keeps_its_files() {
        EmbeddedWorld.Wish wish = new EmbeddedWorld.Wish(data.resolve("world"), 0, false, false);
        assertThatThrownBy(() -> EmbeddedWorld.start(wish, doing -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another world lives in")
                .hasMessageContaining("--data DIR");
        assertThat(data.resolve("world/kubeconfig")).exists();
        assertThat(data.resolve("world/endpoints.json")).exists();
    }

    @Test
    void ports_out_of_range_are_told_before_anything_starts() {
        for (int port : new int[] {-1, 65_535, 70_000}) {
            EmbeddedWorld.Wish wish = new EmbeddedWorld.Wish(data.resolve("other"), port, false, false);
            assertThatThrownBy(() -> EmbeddedWorld.start(wish, doing -> {}))
                    .hasMessageContaining("--ports " + port + " is out of range");
        }
    }

    private static HttpResponse<String> get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void the_rest_of_everyday_kubectl_works() throws Exception {
        assumeTrue(Programs.find("kubectl").isPresent(), "skipped: kubectl is not on PATH");
        kubectl("create", "namespace", "daily");
        assertThat(kubectl("create", "deployment", "shop", "-n", "daily", "--image=nginx"))
                .contains("created");
        assertThat(kubectl("explain", "pod.spec.containers.image")).contains("FIELD: image <string>");
        assertThat(kubectl("auth", "can-i", "create", "pods", "-n", "daily")).isEqualTo("yes\n");
        assertThat(kubectl("auth", "whoami")).contains("kubernetes-admin");
        assertThat(kubectl("expose", "deployment", "shop", "-n", "daily", "--port=80"))
                .contains("exposed");
        kubectl("rollout", "status", "deployment/shop", "-n", "daily", "--timeout=120s");

        Path three = Files.writeString(
                data.resolve("three.yaml"),
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop, namespace: daily}\nspec: {replicas: 3}\n");
        KubectlRun.Ended diff = KubectlRun.run(world.kubeconfig(), "diff", "-f", three.toString());
        assertThat(diff.code()).as("1 tells that there is a difference").isEqualTo(1);
        assertThat(diff.text()).contains("-  replicas: 1\n+  replicas: 3");
        Path editor =
                Files.writeString(data.resolve("editor"), "#!/bin/sh\nsed -i 's/replicas: 1$/replicas: 2/' \"$1\"\n");
        Files.setPosixFilePermissions(editor, PosixFilePermissions.fromString("rwx------"));
        assertThat(KubectlRun.edit(world.kubeconfig(), editor.toString(), "deployment/shop", "-n", "daily"))
                .contains("deployment.apps/shop edited");
        assertThat(kubectl("get", "deployment", "shop", "-n", "daily", "-o", "jsonpath={.spec.replicas}"))
                .isEqualTo("2");

        assertThat(kubectl("rollout", "restart", "deployment/shop", "-n", "daily"))
                .contains("restarted");
        kubectl("set", "image", "deployment/shop", "-n", "daily", "nginx=nginx:2");
        assertThat(kubectl("rollout", "history", "deployment/shop", "-n", "daily"))
                .contains("3 ");
        assertThat(kubectl("rollout", "undo", "deployment/shop", "-n", "daily")).contains("rolled back");
        assertThat(kubectl("get", "deployment", "shop", "-n", "daily", "-o", "jsonpath={..image}"))
                .isEqualTo("nginx");

        assertThat(kubectl("drain", "virtual-kubelet", "--pod-selector=app=shop", "--timeout=60s"))
                .contains("node/virtual-kubelet cordoned", "evicted", "node/virtual-kubelet drained");
        assertThat(kubectl("get", "nodes")).contains("Ready,SchedulingDisabled");
        kubectl("uncordon", "virtual-kubelet");

        KubectlRun.Ended apply = KubectlRun.run(world.kubeconfig(), "apply", "--server-side", "-f", three.toString());
        assertThat(apply.text())
                .contains("Apply failed with 1 conflict: conflict with \"kubectl-edit\" using apps/v1: .spec.replicas");
        assertThat(kubectl("apply", "--server-side", "--force-conflicts", "-f", three.toString()))
                .contains("deployment.apps/shop serverside-applied");
        assertThat(kubectl("get", "deployment", "shop", "-n", "daily", "-o", "jsonpath={.spec.replicas}"))
                .isEqualTo("3");
        kubectl("delete", "namespace", "daily", "--timeout=120s");
    }

    private String kubectl(String... arguments) throws Exception {
        return KubectlRun.kubectl(world.kubeconfig(), arguments);
    }
}
