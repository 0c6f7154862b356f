package dev.kip.sim.selfhosted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.Trace;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The self-hosted plane, and the power failing in other ways than once, on one node, when nothing else happens. */
class PowerCutStoriesTest {

    private static final Duration BOUND = Duration.ofMinutes(4);

    private static Plane plane(String version, int masters) {
        Plane plane = new Plane(
                new Kernel(7, Instant.parse("2018-10-01T00:00:00Z"), new Trace(true)),
                KubeletVersion.parse(version),
                Maker.OURS,
                masters);
        plane.bringUp();
        return plane;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.12.1", "1.37"})
    void all_nodes_lose_their_power_at_once(String version) {
        Plane plane = plane(version, 3);

        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
        plane.pass(Duration.ofMinutes(5));
        assertThat(plane.serves()).as(plane::log).isTrue();
        assertThat(plane.podNames())
                .as("each checkpoint stepped back, but for the checkpointers' own")
                .hasSize(9)
                .filteredOn(name -> name.contains("-master-"))
                .allMatch(name -> name.startsWith("pod-checkpointer"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 20, 60})
    void the_power_fails_again_while_the_plane_comes_back(int seconds) {
        Plane plane = plane("1.34", 1);

        plane.powerCycle(false);
        plane.pass(Duration.ofSeconds(seconds));
        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
        plane.pass(Duration.ofMinutes(5));
        assertThat(plane.serves()).as(plane::log).isTrue();
    }

    /** Defect D18 of the original: its static copy saw its pod gone, and took everything away. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 11, 35, 90, 200})
    void d18_the_power_fails_while_a_new_checkpointer_is_rolled_out(int seconds) {
        Plane plane = plane("1.34", 1);

        plane.rollCheckpointer(plane.node, "pod-checkpointer-n3w5f");
        plane.pass(Duration.ofSeconds(seconds));
        plane.powerCycle(false);

        assertThat(plane.until(plane::serves, BOUND)).as(plane::log).isTrue();
    }

    @Test
    void d18_after_the_roll_the_new_checkpointer_has_a_copy_beside_it_and_the_old_one_none() {
        Plane plane = plane("1.34", 1);

        plane.rollCheckpointer(plane.node, "pod-checkpointer-n3w5f");
        plane.pass(Duration.ofMinutes(10));

        assertThat(plane.podNames())
                .containsExactly(Plane.API_SERVER, "pod-checkpointer-n3w5f", "pod-checkpointer-n3w5f-" + Plane.NODE);
    }
}
