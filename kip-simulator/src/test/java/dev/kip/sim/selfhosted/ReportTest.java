package dev.kip.sim.selfhosted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.disk.Disk;
import dev.kip.sim.kubelet.SimKubelet;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The report: on Kubernetes 1.12 a self-hosted cluster does not return from a power cycle. */
class ReportTest {

    private static final Duration BOUND = Duration.ofMinutes(10);

    private static Plane original(String version) {
        return plane(version, Maker.ORIGINAL_OF_2018);
    }

    private static Plane ours(String version) {
        return plane(version, Maker.OURS);
    }

    private static Plane plane(String version, Maker maker) {
        Plane plane = new Plane(KubeletVersion.parse(version), maker);
        plane.bringUp();
        return plane;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.11.3", "1.12.0-beta.2"})
    void with_the_original_the_older_cluster_has_two_checkpointers_and_returns(String version) {
        Plane plane = original(version);
        assertThat(plane.podNames()).contains(Plane.CHECKPOINTER, Plane.CHECKPOINTER + "-" + Plane.NODE);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.12.0-rc.1", "1.12.1"})
    void with_the_original_the_newer_cluster_has_one_and_stays_down_with_the_two_lines(String version) {
        Plane plane = original(version);
        assertThat(plane.podNames()).contains(Plane.CHECKPOINTER).doesNotContain(Plane.CHECKPOINTER + "-" + Plane.NODE);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isFalse();
        assertThat(plane.log())
                .containsPattern("Predicate failed on Pod: pod-checkpointer-b9dzq-master-1_kube-system\\([0-9a-f]+\\),"
                        + " for reason: Predicate MatchNodeSelector failed")
                .containsPattern("Static pod \"[0-9a-f]+\" \\(pod-checkpointer-b9dzq-master-1/kube-system\\) does not"
                        + " have a corresponding mirror pod; skipping");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.11.3", "1.12.0-beta.2", "1.12.0-rc.1", "1.12.1"})
    void with_ours_each_returns_and_the_checkpoint_steps_back(String version) {
        Plane plane = ours(version);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
        plane.pass(Duration.ofMinutes(5));
        assertThat(plane.serves()).as(plane::log).isTrue();
        assertThat(plane.podNames())
                .containsExactly(Plane.API_SERVER, Plane.CHECKPOINTER, Plane.CHECKPOINTER + "-" + Plane.NODE);
    }

    @Test
    void a_manifest_deleted_by_hand_is_restored() throws IOException {
        Plane plane = ours("1.12.1");
        Disk disk = plane.node.disk().as("somebody");
        Path manifest = SimKubelet.MANIFESTS.resolve(
                disk.list(SimKubelet.MANIFESTS).get(0).name());

        disk.remove(manifest);
        plane.pass(Duration.ofMinutes(1));

        assertThat(disk.look(manifest)).isPresent();
        assertThat(plane.node.kubelet().orElseThrow().fateOf(Plane.CHECKPOINTER))
                .contains("Running");
    }

    @Test
    void a_mirror_pod_deleted_is_created_again() {
        Plane plane = ours("1.12.1");
        String mirror = Plane.CHECKPOINTER + "-" + Plane.NODE;

        plane.delete(mirror);
        assertThat(plane.podNames()).doesNotContain(mirror);
        plane.pass(Duration.ofMinutes(2));

        assertThat(plane.podNames()).contains(mirror);
    }
}
