package dev.kip.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Sweep;
import org.junit.jupiter.api.Test;

/** A drain in the whole simulated world, cut off at each of its calls. */
class DrainSweepTest {

    @Test
    void whatever_is_cut_off_in_a_drain_nothing_is_left_in_the_end() throws Exception {
        Sweep.Result result = new Sweep(SimWorld::make).run(Library.find("drained"), 1, swept -> {});

        System.out.println("drained: " + result.requests() + " boundaries, "
                + result.cases().size() + " runs");
        assertThat(result.requests()).isGreaterThan(40);
        assertThat(result.failed()).extracting(Sweep.Case::name).isEmpty();
    }
}
