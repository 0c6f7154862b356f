package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
import com.google.common.net.HostAndPort;
import dev.kip.real.Bounded.Look;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cells that are real: the instances of moto are machines with containerd, kubelet and the agent's jar. One world, told
 * in order, because a machine takes seconds to boot: all kinds of pods come up, are spoken to, everything is killed in turn,
 * the power fails, all end.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RealCellIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String EACH_CONTAINER =
            "{range .status.%s[*]}{.name} {.containerID} {.restartCount}{\"\\n\"}{end}";

    private static final String REGISTRY = "10.250.0.1:5001";
    private static ControllerProcess controller;
    private static RealCells cells;
    private static PrivateRegistry registry;
    private static RealWorld world;
    private static Proxies proxies;
    private static String pod = "";
    private static String instance = "";

    @BeforeAll
    static void all_kinds_of_pods_are_applied(@TempDir Path directory) throws IOException {
        CLUSTER.applyCustomResources();
        CLUSTER.applyRights();
        String configuration = ControllerProcess.CONFIG.replace(
                        "cells:\n",
                        "cells:\n  apiServer: " + CLUSTER.kubernetes().getAuthority() + "\n")
                + "kubelet:\n  clientCAFile: " + CLUSTER.certificateAuthority() + "\n";
        CallCounter counter = new CallCounter();
        proxies = new Proxies(CLUSTER, counter); // on a busy machine moto does not name its instance types in time
        controller = new ControllerProcess(
                CLUSTER, "real", CLUSTER.kubernetes(), proxies.ec2(), CLUSTER.controllerToken(), configuration);
        world = new RealWorld(CLUSTER, CLUSTER.admin(), ImmutableList.of(controller), counter);
        world.clear();
        cells = new RealCells(CLUSTER, REGISTRY);
        registry = new PrivateRegistry(HostAndPort.fromString(REGISTRY), cells.images(), directory);
        controller.start();
        kubectl("wait", "--for=create", "node/virtual-kubelet", "--timeout=110s");
        kubectl("wait", "--for=condition=Ready", "node/virtual-kubelet", "--timeout=60s");
        Path manifest = Files.writeString(
                directory.resolve("pods.yaml"),
                Resources.toString(Resources.getResource("real-cells.yaml"), StandardCharsets.UTF_8));
        Path login = Files.writeString(directory.resolve("login.json"), registry.credentials());
        kubectl(
                "create",
                "secret",
                "docker-registry",
                "login",
                "-n",
                "default",
                "--from-file=.dockerconfigjson=" + login);
        kubectl("apply", "-f", manifest.toString());
    }

    @AfterAll
    static void nothing_is_left() throws IOException {
        controller.close();
        proxies.close();
        world.close();
        cells.close();
        registry.close();
    }

    @Test
    @Order(1)
    void a_deployment_with_probes_an_init_container_and_a_sidecar_is_ready() {
        await("deployment/rich", "{.status.readyReplicas}", "1");
        pod = value("pods", "{.items[0].metadata.name}", "-l", "app=rich");
        instance = value("cells", "{.items[?(@.status.podName==\"" + pod + "\")].status.instanceID}");
        assertThat(value(
                        "pod/" + pod, "{.status.initContainerStatuses[?(@.name==\"before\")].state.terminated.reason}"))
                .isEqualTo("Completed");
        assertThat(value("pod/" + pod, "{.status.initContainerStatuses[?(@.name==\"beside\")].started}"))
                .isEqualTo("true");
        assertThat(value("pod/" + pod, "{.status.phase} {.status.qosClass} {.status.conditions[*].type}"))
                .startsWith("Running Burstable ")
                .contains("Ready", "ContainersReady", "Initialized", "PodScheduled");
        cells.measure(instance);
    }

    @Test
    @Order(2)
    void the_token_of_the_pod_authenticates_as_its_service_account_from_the_cell_and_elsewhere(@TempDir Path directory)
            throws IOException {
        String token = exec("cat", "/var/run/secrets/kubernetes.io/serviceaccount/token");
        Path kubeconfig = Files.writeString(
                directory.resolve("kubeconfig"),
                Files.readString(CLUSTER.kubeconfig()).replace(CLUSTER.adminToken(), token.strip()));
        String who = kubectl("auth", "whoami", "-o", "json", "--kubeconfig=" + kubeconfig);
        assertThat(who).contains("\"system:serviceaccount:default:default\"", "\"" + pod + "\"");

        String answer = exec(
                "sh",
                "-c",
                "wget -q -O - --no-check-certificate --header \"Authorization: Bearer $(cat"
                        + " /var/run/secrets/kubernetes.io/serviceaccount/token)\""
                        + " https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/apis");
        assertThat(answer).contains("APIGroupList");
        assertThat(exec("cat", "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"))
                .isEqualToIgnoringWhitespace(Files.readString(CLUSTER.certificateAuthority()));
    }

    @Test
    @Order(3)
    void kubectl_logs_exec_attach_cp_and_port_forward_reach_the_container(@TempDir Path directory) throws Exception {
        assertThat(kubectl("logs", pod, "-c", "main", "--tail=1")).isEqualTo("first\n");
        assertThat(kubectl("logs", pod, "-c", "before", "--timestamps")).matches("20\\d\\d-\\S+ before\n");
        assertThat(CLUSTER.kubectl("exec", pod, "-c", "main", "--", "sh", "-c", "exit 7")
                        .code())
                .isEqualTo(7);

        byte[] bytes = new byte[3_000_000];
        new Random(7).nextBytes(bytes);
        Path sent = Files.write(directory.resolve("sent"), bytes);
        Path back = directory.resolve("back");
        assertThat(CLUSTER.kubectlWith(sent, "exec", "-i", pod, "-c", "main", "--", "sh", "-c", "sha256sum; true")
                        .orFail())
                .contains(sha256(bytes));
        kubectl("cp", sent.toString(), "default/" + pod + ":/tmp/sent", "-c", "main");
        kubectl("cp", "default/" + pod + ":/tmp/sent", back.toString(), "-c", "main");
        assertThat(Files.mismatch(sent, back)).as("first byte that differs").isEqualTo(-1);

        try (Program attached = CLUSTER.startKubectl("attach", "attach", pod, "-c", "main")) {
            Bounded.await(
                    "its output",
                    MINUTE,
                    () -> Look.holds(attached.lastWords().contains("\nfirst"), attached.lastWords()));
        }
        try (Program forward = CLUSTER.startKubectl("port-forward", "port-forward", "pod/" + pod, "18080:8080")) {
            Bounded.await(
                    "the forwarder",
                    MINUTE,
                    () -> Look.holds(
                            forward.lastWords().contains("Forwarding from 127.0.0.1:18080"), forward.lastWords()));
            HttpRequest word = HttpRequest.newBuilder(URI.create("http://127.0.0.1:18080/word"))
                    .timeout(MINUTE)
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(word, BodyHandlers.ofString())
                            .body())
                    .isEqualTo("first");
        }
    }

    private static String sha256(byte[] bytes) {
        return Hashing.sha256().hashBytes(bytes).toString();
    }

    @Test
    @Order(4)
    void a_container_that_crashes_is_held_back_and_one_that_takes_too_much_memory_is_told_so() {
        String of = "{.status.containerStatuses[?(@.name==\"%s\")].%s}";
        await("pod/broken", of.formatted("crash", "state.waiting.reason"), "CrashLoopBackOff");
        assertThat(value("pod/broken", of.formatted("crash", "lastState.terminated.exitCode")))
                .isEqualTo("3");
        await("pod/broken", of.formatted("greedy", "lastState.terminated.reason"), "OOMKilled");
        assertThat(value("pod/broken", of.formatted("greedy", "lastState.terminated.exitCode")))
                .isEqualTo("137");
    }

    @Test
    @Order(4)
    void an_image_of_a_private_registry_is_pulled_with_the_pods_secret() {
        await("pod/broken", "{.status.containerStatuses[?(@.name==\"pulled\")].ready}", "true");
        assertThat(registry.refused())
                .as("who does not know the password is refused")
                .isPositive();
    }

    @Test
    @Order(5)
    void no_kill_restarts_a_container_and_a_config_map_is_followed_meanwhile() {
        String before = containers();
        assertThat(before).contains("before ", "beside ", "main ");
        RealCells.PROGRAMS.forEach(program -> cells.kill(instance, program));
        controller.kill9();
        controller.start();
        kubectl("patch", "configmap", "settings", "-p", "{\"data\":{\"word\":\"second\"}}");
        long patched = System.nanoTime();
        // The lease of the dead controller lasts 20 s of it.
        cells.awaitWord(instance, "main", " second", Duration.ofSeconds(85));
        System.out.println("real-parts: a config map changed under a dead controller is in the file after "
                + Duration.ofNanos(System.nanoTime() - patched).toSeconds() + " s");
        await("deployment/rich", "{.status.readyReplicas}", "1");
        assertThat(containers()).as("no container was restarted").isEqualTo(before);
    }

    @Test
    @Order(6)
    void after_a_power_cut_a_job_is_not_run_again_and_the_deployments_pod_is() {
        await("job/once", "{.status.ready}", "1");
        String before = containers();
        cells.cutThePower();
        await("job/once", "{.status.failed}", "1");
        assertThat(value(
                        "pods",
                        "{.items[*].status.phase} {.items[*].status.containerStatuses[0].state.terminated.exitCode}",
                        "-l",
                        "job-name=once"))
                .as("one pod, which the power cut ended")
                .isEqualTo("Failed 255");
        Bounded.await("its containers anew", Duration.ofSeconds(100), () -> {
            String now = containers();
            return Look.holds(!now.equals(before), now);
        });
        await("pod/" + pod, "{.status.conditions[?(@.type==\"Ready\")].status}", "True");
    }

    @Test
    @Order(7)
    void a_deleted_pod_runs_its_hook_and_nothing_is_left() {
        kubectl("delete", "deployment", "rich", "--wait=false");
        cells.awaitWord(instance, "main", " stopping", MINUTE);
        kubectl("delete", "job", "once", "--timeout=100s");
        kubectl("delete", "pod", "broken", "--timeout=100s");
        Bounded.await("no pod and no machine", Duration.ofSeconds(100), () -> {
            String left = value("pods", "{.items[*].metadata.name}") + cells.names();
            return Look.holds(left.isEmpty(), left);
        });
    }

    /** Names, ids and restarts of the pod's containers. */
    private static String containers() {
        return value(
                "pod/" + pod,
                EACH_CONTAINER.formatted("initContainerStatuses") + EACH_CONTAINER.formatted("containerStatuses"));
    }

    private static String exec(String... command) {
        return kubectl(ImmutableList.<String>builder()
                .add("exec", pod, "-c", "main", "--")
                .add(command)
                .build()
                .toArray(String[]::new));
    }

    /** Waits for a field of an object that is there. */
    private static void await(String object, String path, String wanted) {
        Program.Result result = CLUSTER.kubectl(
                "wait", object, "-n", "default", "--for=jsonpath=" + path + "=" + wanted, "--timeout=110s");
        assertThat(result.code())
                .as(() -> result.output() + "\n" + kubectl("get", "pods", "-o", "wide") + "\n" + cells.lastWords()
                        + "\n" + controller.lastWords())
                .isZero();
    }

    /** What is there; empty if it is not. */
    private static String value(String object, String path, String... more) {
        Program.Result result = CLUSTER.kubectl(ImmutableList.<String>builder()
                .add("get", object, "-n", "default", "-o", "jsonpath=" + path)
                .add(more)
                .build()
                .toArray(String[]::new));
        return result.code() == 0 ? result.output().strip() : "";
    }

    private static String kubectl(String... arguments) {
        return CLUSTER.kubectl(arguments).orFail();
    }
}
