package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.real.Bounded.Look;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clusters that lose their memory or get a double, on real parts: an etcd restored from a backup, a cluster deleted and
 * made again, a copy of the cluster, a second Deployment of the controller. The anchor is in moto's S3.
 */
final class OwnershipIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration QUIET = Duration.ofSeconds(25);

    private static Hands hands;

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

    @BeforeEach
    void clear() {
        hands.clear();
        hands.aws("s3", "rm", "--recursive", "--quiet", "s3://kip-anchor/");
    }

    @Test
    void an_etcd_restored_from_a_backup_under_a_controller_that_runs() {
        hands.startController("kip-1", Hands.ANCHORED);
        tellOfTheBackup(() -> {});
    }

    @Test
    void an_etcd_restored_from_a_backup_and_a_controller_started_afterwards() {
        ControllerProcess first = hands.startController("kip-1", Hands.ANCHORED);
        tellOfTheBackup(() -> {
            first.kill9();
            hands.startController("kip-2", Hands.ANCHORED);
        });
    }

    /** @param next what is done after the restoration */
    private void tellOfTheBackup(Runnable next) {
        hands.awaitNode();
        run("stays");
        run("later-deleted");
        String id = installationId();
        String staying = pod("stays");
        Path backup = folder.resolve("backup");
        CLUSTER.backUp(backup);
        hands.kubectl("delete", "deployment", "later-deleted");
        hands.kubectl("wait", "--for=delete", "pod", "-l", "app=later-deleted", "--timeout=180s");
        run("never-heard-of");

        CLUSTER.restore(backup);
        next.run();

        // The Deployment that the backup has again gets a pod again; what the cluster has never heard of is ended.
        await("a cell each for what the cluster knows", () -> cellsAndInstances(2));
        hands.kubectl("rollout", "status", "deployment/stays", "--timeout=180s");
        hands.kubectl("rollout", "status", "deployment/later-deleted", "--timeout=180s");
        await("still so", () -> cellsAndInstances(2));
        assertThat(pod("stays")).as("a pod that lived through it").isEqualTo(staying);
        assertThat(installationId()).isEqualTo(id);
        assertThat(hands.machines().violations()).isEmpty();
    }

    @Test
    void a_cluster_made_anew_reports_what_is_foreign_and_takes_it_over_when_it_is_told_to() {
        ControllerProcess first = hands.startController("kip-1", Hands.ANCHORED);
        hands.awaitNode();
        run("lost");
        String lost = installationId();
        String instance = hands.instances().get(0);
        first.kill9();

        CLUSTER.makeAnew();
        hands.beginAnew();
        ControllerProcess second = hands.startController("kip-2", Hands.ANCHORED);
        hands.awaitNode();
        run("new");
        assertThat(installationId()).as("an installation of its own").isNotEqualTo(lost);
        assertThat(second.run("cells", "--foreign").orFail()).contains(instance, lost);
        assertThat(hands.instances())
                .as("it ends nothing of another's")
                .contains(instance)
                .hasSize(2);
        hands.kubectl("delete", "deployment", "new");
        await(
                "only the lost one",
                () -> Look.holds(
                        hands.instances().size() == 1, hands.instances().toString()));
        second.kill9();

        CLUSTER.makeAnew();
        hands.beginAnew();
        hands.startController("kip-3", Hands.ANCHORED.stripTrailing() + "\n  adoptInstallation: " + lost + "\n");
        hands.awaitNode();
        assertThat(installationId()).as("the lost installation goes on").isEqualTo(lost);
        await("what no pod of this cluster claims is ended", () -> cellsAndInstances(0));
        run("again");
        assertThat(installationId()).isEqualTo(lost);
        assertThat(hands.machines().violations()).isEmpty();
    }

    @Test
    void a_copy_of_the_cluster_changes_nothing_while_the_original_lives() {
        ControllerProcess original = hands.startController("kip-1", Hands.ANCHORED);
        hands.awaitNode();
        run("web");
        Path backup = folder.resolve("backup");
        CLUSTER.backUp(backup);

        URI copy = CLUSTER.copy(backup);
        CLUSTER.kubectlOnCopy("delete", "pods", "--all", "--wait=false").orFail();
        ControllerProcess clone = hands.controller("kip-copy", Hands.ANCHORED, copy, hands.token());
        clone.start();

        failsClosed(clone, original);
    }

    @Test
    void a_second_deployment_in_another_namespace_changes_nothing_while_the_first_lives() {
        ControllerProcess original = hands.startController("kip-1", Hands.ANCHORED);
        hands.awaitNode();
        run("web");
        hands.kubectl("create", "namespace", "twin");
        try {
            hands.apply(CLUSTER.helm(
                            "template",
                            "twin",
                            RealCluster.DEPLOY.resolve("chart").toString(),
                            "--namespace=twin",
                            "--set=crds.install=false,drain.onDelete=false,replicas=1")
                    .orFail()
                    .replaceAll("(?m)^walk.go:.*$", ""));
            ControllerProcess twin = hands.controller(
                    "kip-twin",
                    Hands.ANCHORED.replace("namespace: kip\n", "namespace: twin\n"),
                    CLUSTER.kubernetes(),
                    CLUSTER.token("twin", "twin-kip"));
            twin.start();

            failsClosed(twin, original);
        } finally {
            hands.kubectl("delete", "namespace", "twin", "--wait=false");
        }
    }

    private static void failsClosed(ControllerProcess second, ControllerProcess first) {
        String before = pod("web");
        await(
                "it says why it does nothing",
                () -> Look.holds(second.lastWords().contains("CloneOrSplit"), second.lastWords()));
        int grants = hands.machines().grants();
        var instances = hands.instances();
        quietly(() -> hands.instances().equals(instances));
        assertThat(hands.machines().grants()).as("no grant").isEqualTo(grants);
        assertThat(second.isAlive()).isTrue();
        assertThat(first.isAlive()).isTrue();
        assertThat(pod("web")).as("the pod of the first").isEqualTo(before);
        run("more");
        assertThat(hands.machines().violations()).isEmpty();
    }

    /** Holds for a while. */
    private static void quietly(Supplier<Boolean> holds) {
        long until = System.nanoTime() + QUIET.toNanos();
        Bounded.await("a quiet time", QUIET.multipliedBy(3), () -> {
            assertThat(holds.get()).isTrue();
            return Look.holds(System.nanoTime() > until, "quiet so far");
        });
    }

    private static void run(String deployment) {
        hands.kubectl("create", "deployment", deployment, "--image=nginx", "--replicas=1");
        hands.kubectl("rollout", "status", "deployment/" + deployment, "--timeout=180s");
    }

    private static Look<Boolean> cellsAndInstances(int count) {
        String ofCells = Hands.words(hands.kubectl("get", "cells", "-o=jsonpath={.items[*].status.instanceID}"))
                .toString();
        var instances = hands.instances();
        return Look.holds(
                instances.size() == count && ofCells.equals(instances.toString()),
                "cells of " + ofCells + ", instances " + instances + "; pods "
                        + hands.kubectl("get", "pods", "--no-headers"));
    }

    private static void await(String what, Supplier<Look<Boolean>> look) {
        try {
            Bounded.await(what, PATIENCE, look);
        } catch (AssertionError late) {
            throw new AssertionError(late.getMessage() + "\n" + hands.lastWords(), late);
        }
    }

    private static String installationId() {
        return hands.kubectl("get", "installation", "kip", "-o=jsonpath={.spec.installationID}");
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
}
