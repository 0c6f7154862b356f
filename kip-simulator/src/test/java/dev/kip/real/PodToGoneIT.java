package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.real.Bounded.Look;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.wall.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** The main job end to end: by kubectl, as a newcomer would, and as the simulator's own scenario. */
final class PodToGoneIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String NGINX = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: nginx, namespace: default}
            spec:
              replicas: 2
              selector: {matchLabels: {app: nginx}}
              template:
                metadata: {labels: {app: nginx}}
                spec:
                  containers:
                  - {name: nginx, image: "nginx:1.27", resources: {requests: {cpu: 100m, memory: 64Mi}}}
            """;

    private static Stage stage;

    @BeforeAll
    static void prepare() throws Exception {
        stage = new Stage(CLUSTER, line -> System.out.println("real-parts: " + line));
    }

    @AfterAll
    static void end() throws Exception {
        stage.close();
    }

    @Test
    void the_scenario_of_the_simulator_holds_on_real_parts() throws Exception {
        stage.tell(Library.find("pod-to-gone"));
    }

    @Test
    void killed_controllers_are_replaced_without_restarting_a_pod() throws Exception {
        stage.tell(Library.find("controller-restarts"));
    }

    @Test
    void kubectl_sees_pods_come_as_cells_and_go(@TempDir Path directory) throws Exception {
        stage.world().clear();
        stage.controller().start();
        kubectl("wait", "--for=create", "node/virtual-kubelet", "--timeout=180s");
        kubectl("wait", "--for=condition=Ready", "node/virtual-kubelet", "--timeout=180s");

        Path manifest = Files.writeString(directory.resolve("nginx.yaml"), NGINX);
        assertThat(kubectl("apply", "-f", manifest.toString())).contains("deployment.apps/nginx created");
        kubectl("rollout", "status", "deployment/nginx", "--timeout=180s");
        assertThat(column("pod", "/status/phase")).containsOnly("Running").hasSize(2);
        assertThat(column("pod", "/status/podIP")).doesNotHaveDuplicates().allMatch(ip -> ip.startsWith("172.31."));
        assertThat(kubectl("get", "pods", "-o", "wide")).contains("virtual-kubelet");
        assertThat(kubectl("get", "cells").lines().findFirst().orElse(""))
                .matches("NAME +POD NAME +POD NAMESPACE +NODE +LAUNCH TYPE +INSTANCE TYPE +INSTANCE ID +IP +AGE");
        assertThat(column("cell", "/status/ip")).hasSameElementsAs(column("pod", "/status/podIP"));
        assertThat(column("launchbatch", "/metadata/name")).isEmpty();

        kubectl("scale", "deployment/nginx", "--replicas=3");
        kubectl("rollout", "status", "deployment/nginx", "--timeout=180s");
        assertThat(column("cell", "/status/instanceID")).doesNotHaveDuplicates().hasSize(3);
        assertThat(kubectl("get", "events", "--field-selector", "involvedObject.kind=Pod"))
                .contains("Started");

        String victim = column("pod", "/metadata/name").get(0);
        assertThat(kubectl("delete", "pod", victim, "--timeout=180s")).contains("deleted");
        kubectl("rollout", "status", "deployment/nginx", "--timeout=180s");
        assertThat(column("pod", "/metadata/name")).hasSize(3).doesNotContain(victim);

        kubectl("delete", "deployment", "nginx");
        await("no pod", "pod");
        await("no cell", "cell");
        await("no launch batch", "launchbatch");
        Bounded.await("every instance ended", PATIENCE, () -> {
            List<String> states = stage.world().machines().stream()
                    .map(machine -> machine.state())
                    .toList();
            return Look.holds(states.stream().allMatch("terminated"::equals), states.toString());
        });
        assertThat(stage.machines().violations()).isEmpty();
        assertThat(stage.controller().terminate()).isZero();
    }

    private static String kubectl(String... arguments) {
        Program.Result result = CLUSTER.kubectl(arguments);
        if (result.code() != 0) {
            throw new AssertionError("kubectl " + String.join(" ", arguments) + ": " + result.output() + "\n"
                    + stage.controller().lastWords());
        }
        return result.output();
    }

    private static ImmutableList<String> column(String kind, String pointer) {
        return stage.world().objects(kind).stream()
                .map((ObjectNode object) -> object.at(pointer).asString(""))
                .collect(ImmutableList.toImmutableList());
    }

    private static void await(String what, String kind) {
        Bounded.await(what, PATIENCE, () -> {
            ImmutableList<String> left = column(kind, "/metadata/name");
            return Look.holds(left.isEmpty(), left.toString());
        });
    }
}
