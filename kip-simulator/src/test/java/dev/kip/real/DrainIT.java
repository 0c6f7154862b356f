package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.real.Bounded.Look;
import dev.kip.sim.wall.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing is left behind: the chart is installed and uninstalled by helm, whose hook's command is run, as kubelet would,
 * with the rights that the chart gives and nothing more. What is left is asked of the AWS command line and kubectl.
 */
final class DrainIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String SPACE = "somewhere";
    private static final ImmutableList<String> KINDS = ImmutableList.of(
            "cells", "launchbatches", "installations", "nodes", "leases", "deployments.apps", "secrets");

    private static Hands hands;
    private ImmutableSortedMap<String, String> before;

    @TempDir
    private Path folder;

    @BeforeAll
    static void prepare() {
        hands = new Hands(CLUSTER);
        hands.aws("s3api", "create-bucket", "--bucket", "kip-anchor");
    }

    @AfterAll
    static void end() {
        hands.close();
    }

    /** Other tests may have left templates and groups of installations that died. */
    @BeforeEach
    void look() {
        hands.clear();
        hands.aws("s3", "rm", "--recursive", "--quiet", "s3://kip-anchor/");
        before = everything();
    }

    @AfterEach
    void uninstall() {
        CLUSTER.helm("uninstall", "blue", "--namespace", SPACE, "--no-hooks", "--ignore-not-found");
    }

    @Test
    void helm_uninstall_leaves_nothing_but_the_definitions() throws Exception {
        ControllerProcess controller = install();
        controller.start();
        runPods();

        Program uninstall = CLUSTER.startHelm("helm-uninstall", "uninstall", "blue", "--namespace", SPACE);
        String job = "job/blue-kip-drain";
        hands.kubectl("wait", "--for=create", job, "-n", SPACE, "--timeout=180s");
        assertThat(hands.kubectl("get", job, "-n", SPACE, "-o=jsonpath={.spec.template.spec.containers[0].args}"))
                .isEqualTo("[\"drain\",\"--config=/etc/kip/provider.yaml\",\"--yes\"]");
        assertThat(controller.run("drain", "--yes").orFail()).contains("is drained");
        // No kubelet is there that would say so.
        hands.await("the hook's pod", DrainIT::hookPods, pods -> !pods.isEmpty());
        for (String pod : Hands.words(hookPods())) {
            hands.kubectl(
                    "patch",
                    "pod",
                    pod,
                    "-n",
                    SPACE,
                    "--subresource=status",
                    "--type=merge",
                    "-p",
                    "{\"status\":{\"phase\":\"Succeeded\"}}");
        }
        Bounded.await("helm's end", PATIENCE, () -> Look.holds(!uninstall.isAlive(), uninstall.lastWords()));
        assertThat(uninstall.lastWords()).contains("release \"blue\" uninstalled");
        assertThat(controller.isAlive())
                .as("the controller waits for its own end")
                .isTrue();

        controller.kill9();
        nothingIsLeft();
        assertThat(hands.kubectl("get", "crd", "-o=jsonpath={.items[*].metadata.name}"))
                .contains("cells.kip.elotl.co", "installations.kip.elotl.co", "launchbatches.kip.elotl.co");
        assertThat(hands.machines().violations()).isEmpty();
    }

    @Test
    void with_no_controller_the_command_does_it_itself_and_goes_on_after_a_kill() throws Exception {
        ControllerProcess controller = install();
        controller.start();
        runPods();
        controller.kill9();
        ImmutableList<String> running = hands.instances();

        Program first = controller.begin("drain", "--yes");
        Bounded.await(
                "an instance has ended",
                PATIENCE,
                () -> Look.holds(!hands.instances().equals(running), first.lastWords()));
        first.kill9();
        assertThat(controller.run("drain", "--yes").orFail()).contains("is drained");

        CLUSTER.helm("uninstall", "blue", "--namespace", SPACE, "--no-hooks", "--wait")
                .orFail();
        nothingIsLeft();
        assertThat(hands.machines().violations()).isEmpty();
    }

    private static String hookPods() {
        return hands.kubectl(
                "get", "pods", "-n", SPACE, "-l", "job-name=blue-kip-drain", "-o=jsonpath={.items[*].metadata.name}");
    }

    /** Installs the chart; a controller with the configuration and the account of the release. */
    private ControllerProcess install() throws Exception {
        String config = Hands.ANCHORED.replace("namespace: kip\n", "") + "installation: blue\n";
        Path values = Files.writeString(
                folder.resolve("values.yaml"),
                "config:\n" + config.lines().map(line -> "  " + line + "\n").reduce("", String::concat));
        CLUSTER.helm(
                        "install",
                        "blue",
                        RealCluster.DEPLOY.resolve("chart").toString(),
                        "--namespace=" + SPACE,
                        "--create-namespace",
                        "--take-ownership",
                        "--values=" + values)
                .orFail();
        String rendered =
                hands.kubectl("get", "configmap", "blue-kip", "-n", SPACE, "-o=jsonpath={.data.provider\\.yaml}");
        return hands.controller("kip-blue", rendered, CLUSTER.kubernetes(), CLUSTER.token(SPACE, "blue-kip"));
    }

    private static void runPods() {
        hands.awaitNode();
        hands.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2");
        hands.kubectl("rollout", "status", "deployment/web", "--timeout=180s");
        assertThat(hands.instances()).hasSize(2);
        assertThat(hands.names("cells")).hasSize(2);
    }

    private void nothingIsLeft() {
        hands.kubectl("delete", "deployment", "web", "--ignore-not-found");
        // The election's lease stays: whoever drained held it to the end. docs/install.md says so.
        hands.kubectl("delete", "lease", "-n", SPACE, "blue-virtual-kubelet", "--ignore-not-found");
        Bounded.await("nothing left", PATIENCE, () -> {
            ImmutableSortedMap<String, String> now = everything();
            return Look.holds(now.equals(before), "before " + before + "\nnow    " + now);
        });
    }

    /** All that an installation could leave, by kind. */
    private static ImmutableSortedMap<String, String> everything() {
        ImmutableSortedMap.Builder<String, String> found = ImmutableSortedMap.naturalOrder();
        found.put("instances", hands.instances().toString());
        found.put("volumes", ec2("describe-volumes", "Volumes[].VolumeId"));
        found.put("interfaces", ec2("describe-network-interfaces", "NetworkInterfaces[].NetworkInterfaceId"));
        found.put("groups", ec2("describe-security-groups", "SecurityGroups[].GroupName"));
        found.put("templates", ec2("describe-launch-templates", "LaunchTemplates[].LaunchTemplateName"));
        found.put(
                "anchor",
                Hands.words(hands.aws(
                                "s3api",
                                "list-objects-v2",
                                "--bucket",
                                "kip-anchor",
                                "--query",
                                "Contents[].Key",
                                "--output",
                                "text"))
                        .toString()
                        .replace("[None]", "[]"));
        KINDS.forEach(kind -> found.put(
                kind,
                hands.names(kind).stream()
                        .filter(name -> !name.startsWith("sh.helm."))
                        .filter(name -> !name.startsWith("apiserver-"))
                        .toList()
                        .toString()));
        return found.build();
    }

    private static String ec2(String action, String query) {
        return Hands.words(hands.aws("ec2", action, "--query", query, "--output", "text"))
                .toString();
    }
}
