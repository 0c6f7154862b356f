package dev.kip.sim.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.sim.kubelet.OriginalSanitiser.Release;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kubelet, with what every release of the original made of a pod, and with what ours does; the API server away and there. */
class ProofMatrixTest {

    private static final Duration BOUND = Duration.ofMinutes(4);

    /** What makes checkpoints, and the first kubelet that it does not bring the plane back on; empty for none. */
    private enum Maker {
        ORIGINAL_OF_2018(Release.OF_2018, "1.12.0-rc.1"),
        ORIGINAL_WITHOUT_AFFINITY(Release.WITHOUT_AFFINITY, "1.16"),
        ORIGINAL_WITHOUT_SELECTOR(Release.WITHOUT_SELECTOR, "1.21"),
        OURS;

        private final ImmutableList<Release> release;
        private final String firstRed;

        Maker(Release release, String firstRed) {
            this.release = ImmutableList.of(release);
            this.firstRed = firstRed;
        }

        Maker() {
            this.release = ImmutableList.of();
            this.firstRed = "";
        }

        Sanitiser sanitiser() {
            return release.isEmpty() ? new TableSanitiser() : new OriginalSanitiser(release.get(0));
        }

        ManifestCheck check(KubeletVersion version) {
            return release.isEmpty()
                    ? new KubeletCheck(KubeletModel.of(version), SelfHosted.facts(version))
                    : manifest -> ImmutableList.of();
        }

        boolean green(KubeletVersion version) {
            return firstRed.isEmpty() || version.compareTo(KubeletVersion.parse(firstRed)) < 0;
        }
    }

    static Stream<Arguments> entries() {
        return KubeletVersion.MODELLED.stream()
                .flatMap(version ->
                        Stream.of(Maker.values()).map(maker -> Arguments.of(version, maker, maker.green(version))));
    }

    private static SelfHosted plane(KubeletVersion version, Maker maker) {
        SelfHosted plane = new SelfHosted(version, maker.sanitiser(), maker.check(version));
        plane.bringUp();
        return plane;
    }

    @ParameterizedTest(name = "kubelet {0}, {1}: returns {2}")
    @MethodSource("entries")
    void with_no_api_server(KubeletVersion version, Maker maker, boolean returns) {
        SelfHosted plane = plane(version, maker);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isEqualTo(returns);
    }

    /** Then the pod itself returns, whatever the checkpoint is worth: nobody notices before it is needed. */
    @ParameterizedTest(name = "kubelet {0}, {1}: checkpoint good {2}")
    @MethodSource("entries")
    void with_another_api_server(KubeletVersion version, Maker maker, boolean returns) {
        SelfHosted plane = plane(version, maker);

        plane.powerCycle(true);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
        plane.pass(Duration.ofMinutes(2));
        boolean mirrored = plane.podNames().contains(SelfHosted.CHECKPOINTER + "-" + SelfHosted.NODE);
        // Rejected for its labels at first; ours gives it another face, and by then kubelet has read the node.
        boolean atSecondTry = maker == Maker.ORIGINAL_WITHOUT_AFFINITY && !version.isAtLeast("1.21");
        assertThat(mirrored).as(plane::log).isEqualTo(returns || atSecondTry);
    }
}
