package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * elotl/kip#44 and #131 in the steps of those who reported them, by kubectl and the AWS command line: a cluster with one
 * virtual node, nginx, its Deployment deleted, the controller deleted, the controller created again. No controller keeps
 * anything on a disk: each is a process of a new name that knows nothing of the last.
 */
final class FiveStepsIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final String KUBE_PROXY = """
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: kube-proxy, namespace: kube-system}
            spec:
              selector: {matchLabels: {k8s-app: kube-proxy}}
              template:
                metadata: {labels: {k8s-app: kube-proxy}}
                spec:
                  tolerations: [{operator: Exists}]
                  containers: [{name: kube-proxy, image: "registry.k8s.io/kube-proxy:v1.34.4"}]
            """;

    private static Hands hands;

    @BeforeAll
    static void prepare() {
        hands = new Hands(CLUSTER);
    }

    @AfterAll
    static void end() {
        CLUSTER.kubectl("delete", "daemonset", "kube-proxy", "-n", "kube-system", "--ignore-not-found");
        hands.close();
    }

    @Test
    void the_report_ends_well_when_the_controller_dies_as_its_deployment_is_deleted() {
        hands.clear();
        // 1. A cluster with one virtual node; kube-proxy lands on it.
        hands.apply(KUBE_PROXY);
        ControllerProcess first = hands.startController("kip-7d4b9-x2x4q");
        hands.awaitNode();
        // 2. nginx with one replica, and one more pod that is to outlive everything.
        hands.kubectl("create", "deployment", "nginx", "--image=nginx", "--replicas=1");
        hands.kubectl("create", "deployment", "stays", "--image=nginx", "--replicas=1");
        awaitRunning("nginx");
        awaitRunning("stays");
        String id = controllerIds();
        String staying = pod("stays");
        assertThat(Hands.words(id)).as("one id").hasSize(1);
        assertThat(hands.names("cells")).hasSize(2);
        // 3. Its Deployment is deleted; 4. so is the controller, before it could do anything about it.
        first.kill9();
        hands.kubectl("delete", "deployment", "nginx");
        // 5. The controller is created again.
        hands.startController("kip-6c8f5-9vkzl");

        awaitOnly("stays");
        assertThat(controllerIds()).as("the controller id is unchanged").isEqualTo(id);
        assertThat(pod("stays")).as("no pod was restarted").isEqualTo(staying);
        assertThat(hands.kubectl("get", "pods", "--no-headers"))
                .contains("stays-")
                .doesNotContain("nginx-");
        hands.kubectl("create", "deployment", "nginx", "--image=nginx", "--replicas=1");
        awaitRunning("nginx");
        assertThat(controllerIds()).isEqualTo(id);
        assertThat(instanceIds()).as("the instances' tag").containsOnly(id.strip());
        assertThat(hands.machines().violations()).isEmpty();
    }

    @Test
    void it_ends_well_with_a_kill_in_each_step() {
        hands.clear();
        // 1. Killed as soon as it has registered its node.
        ControllerProcess controller = hands.startController("kip-1");
        hands.kubectl("wait", "--for=create", "node/virtual-kubelet", "--timeout=180s");
        hands.kill(controller);
        controller = hands.startController("kip-2");
        hands.awaitNode();
        // 2. Killed as soon as it has launched.
        hands.kubectl("create", "deployment", "nginx", "--image=nginx", "--replicas=1");
        hands.await("an instance", () -> hands.instances().toString(), seen -> !seen.equals("[]"));
        hands.kill(controller);
        controller = hands.startController("kip-3");
        awaitRunning("nginx");
        String id = controllerIds();
        assertThat(hands.instances()).as("not launched twice").hasSize(1);
        // 3. Killed as soon as the pod is being ended.
        hands.kubectl("delete", "deployment", "nginx");
        hands.await(
                "the pod's end",
                () -> hands.kubectl("get", "pods", "-o=jsonpath={.items[*].metadata.deletionTimestamp}|{.items}"),
                seen -> !seen.startsWith("|") || seen.equals("|[]"));
        hands.kill(controller);
        // 4. and 5. The new one is killed once it leads, and the next as soon as it starts.
        controller = hands.startController("kip-4");
        hands.await("kip-4 leads", FiveStepsIT::leader, "kip-4"::equals);
        hands.kill(controller);
        hands.kill(hands.startController("kip-5"));
        hands.startController("kip-6");

        hands.await("nothing left", FiveStepsIT::whatLives, "pods [] cells [] batches [] instances []"::equals);
        hands.kubectl("create", "deployment", "again", "--image=nginx", "--replicas=1");
        awaitRunning("again");
        assertThat(controllerIds()).as("the controller id is unchanged").isEqualTo(id);
        assertThat(hands.machines().violations()).isEmpty();
    }

    private static void awaitRunning(String deployment) {
        hands.kubectl("rollout", "status", "deployment/" + deployment, "--timeout=180s");
    }

    /** Waits until cells and instances are those of the deployment's one pod, and of nothing else. */
    private static void awaitOnly(String deployment) {
        hands.await(
                "only the cell of " + deployment,
                () -> hands.kubectl(
                                "get", "cells", "-o=jsonpath={.items[*].status.podName} {.items[*].status.instanceID}")
                        + " of " + hands.instances(),
                seen -> seen.matches("(?s)" + deployment + "-\\S+ (i-[0-9a-f]+) of \\[\\1\\]"));
    }

    private static String pod(String deployment) {
        return hands.kubectl(
                "get",
                "pods",
                "-l",
                "app=" + deployment,
                "-o=jsonpath={.items[*].metadata.uid} {.items[*].status.podIP} "
                        + "{.items[*].status.containerStatuses[*].containerID} "
                        + "{.items[*].status.containerStatuses[*].restartCount}");
    }

    /** As {@code kubectl get cells -o wide} shows them, each once. */
    private static String controllerIds() {
        ImmutableList<String> ids = hands.kubectl("get", "cells", "-o", "wide", "--no-headers")
                .lines()
                .map(line -> line.replaceAll(".*\\s(\\S+)\\s*$", "$1"))
                .distinct()
                .collect(ImmutableList.toImmutableList());
        return String.join(" ", ids);
    }

    private static ImmutableList<String> instanceIds() {
        return Hands.words(hands.aws(
                "ec2",
                "describe-instances",
                "--filters",
                "Name=instance-state-name,Values=running",
                "--query",
                "Reservations[].Instances[].Tags[?Key=='KipControllerID'].Value",
                "--output",
                "text"));
    }

    private static String leader() {
        return hands.kubectl(
                        "get",
                        "lease",
                        "-n",
                        "kip",
                        "kip-virtual-kubelet",
                        "--ignore-not-found",
                        "-o=jsonpath={.spec.holderIdentity}")
                .replaceAll("_.*", "");
    }

    private static String whatLives() {
        return "pods " + Hands.words(hands.kubectl("get", "pods", "-o=jsonpath={.items[*].metadata.name}")) + " cells "
                + hands.names("cells") + " batches " + hands.names("launchbatches") + " instances "
                + hands.instances();
    }
}
