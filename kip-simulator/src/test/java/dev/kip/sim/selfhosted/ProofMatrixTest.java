package dev.kip.sim.selfhosted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.checkpointer.kubelet.KubeletVersion;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kubelet, with what every release of the original made of a pod, and with what ours does; the API server away and there. */
class ProofMatrixTest {

    private static final Duration BOUND = Duration.ofMinutes(4);

    static Stream<Arguments> entries() {
        return KubeletVersion.MODELLED.stream()
                .flatMap(version -> Stream.of(Maker.values())
                        .map(maker -> Arguments.of(version, maker, maker.bringsBackOn(version))));
    }

    private static Plane plane(KubeletVersion version, Maker maker) {
        Plane plane = new Plane(version, maker);
        plane.bringUp();
        return plane;
    }

    @ParameterizedTest(name = "kubelet {0}, {1}: returns {2}")
    @MethodSource("entries")
    void with_no_api_server(KubeletVersion version, Maker maker, boolean returns) {
        Plane plane = plane(version, maker);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isEqualTo(returns);
    }

    /** Then the pod itself returns, whatever the checkpoint is worth: nobody notices before it is needed. */
    @ParameterizedTest(name = "kubelet {0}, {1}: checkpoint good {2}")
    @MethodSource("entries")
    void with_another_api_server(KubeletVersion version, Maker maker, boolean returns) {
        Plane plane = plane(version, maker);

        plane.powerCycle(true);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
        plane.pass(Duration.ofMinutes(2));
        boolean mirrored = plane.podNames().contains(Plane.CHECKPOINTER + "-" + Plane.NODE);
        // Rejected for its labels at first; ours gives it another face, and by then kubelet has read the node.
        boolean atSecondTry = maker == Maker.ORIGINAL_WITHOUT_AFFINITY && !version.isAtLeast("1.21");
        assertThat(mirrored).as(plane::log).isEqualTo(returns || atSecondTry);
    }
}
