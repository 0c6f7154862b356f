package dev.kip.sim.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The report: on Kubernetes 1.12 a self-hosted cluster does not return from a power cycle. */
class ReportTest {

    private static final Duration BOUND = Duration.ofMinutes(10);
    private static final ManifestCheck NONE = manifest -> ImmutableList.of();

    private static SelfHosted original(String version) {
        SelfHosted plane = new SelfHosted(
                KubeletVersion.parse(version), new OriginalSanitiser(OriginalSanitiser.Release.OF_2018), NONE);
        plane.bringUp();
        return plane;
    }

    static SelfHosted ours(String version) {
        KubeletVersion kubelet = KubeletVersion.parse(version);
        SelfHosted plane = new SelfHosted(
                kubelet, new TableSanitiser(), new KubeletCheck(KubeletModel.of(kubelet), SelfHosted.facts(kubelet)));
        plane.bringUp();
        return plane;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.11.3", "1.12.0-beta.2"})
    void with_the_original_the_older_cluster_has_two_checkpointers_and_returns(String version) {
        SelfHosted plane = original(version);
        assertThat(plane.podNames()).contains(SelfHosted.CHECKPOINTER, SelfHosted.CHECKPOINTER + "-" + SelfHosted.NODE);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.12.0-rc.1", "1.12.1"})
    void with_the_original_the_newer_cluster_has_one_and_stays_down_with_the_two_lines(String version) {
        SelfHosted plane = original(version);
        assertThat(plane.podNames())
                .contains(SelfHosted.CHECKPOINTER)
                .doesNotContain(SelfHosted.CHECKPOINTER + "-" + SelfHosted.NODE);

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
        SelfHosted plane = ours(version);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
        plane.pass(Duration.ofMinutes(5));
        assertThat(plane.serves()).as(plane::log).isTrue();
        assertThat(plane.podNames())
                .containsExactly(
                        SelfHosted.API_SERVER,
                        SelfHosted.CHECKPOINTER,
                        SelfHosted.CHECKPOINTER + "-" + SelfHosted.NODE);
    }

    @Test
    void a_manifest_deleted_by_hand_is_restored() throws IOException {
        SelfHosted plane = ours("1.12.1");
        Disk disk = plane.node.disk().as("somebody");
        Path manifest = SimKubelet.MANIFESTS.resolve(
                disk.list(SimKubelet.MANIFESTS).get(0).name());

        disk.remove(manifest);
        plane.pass(Duration.ofMinutes(1));

        assertThat(disk.look(manifest)).isPresent();
        assertThat(plane.node.kubelet().orElseThrow().fateOf(SelfHosted.CHECKPOINTER))
                .contains("Running");
    }

    @Test
    void a_mirror_pod_deleted_is_created_again() {
        SelfHosted plane = ours("1.12.1");
        String mirror = SelfHosted.CHECKPOINTER + "-" + SelfHosted.NODE;

        plane.delete(mirror);
        assertThat(plane.podNames()).doesNotContain(mirror);
        plane.pass(Duration.ofMinutes(2));

        assertThat(plane.podNames()).contains(mirror);
    }
}
