package dev.kip.sim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.scenario.Outcomes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A few drawn histories for every build; {@code kip sim fuzz} tells thousands. */
class FuzzTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 1082, 3104, 3596, 5437, 6671, 7415, 7795, 8096, 9289})
    void a_drawn_history_ends_well(long seed) {
        assertThat(Fuzz.tell(seed, false).problems()).isEmpty();
    }

    @Test
    void one_seed_is_one_history() {
        Outcomes once = Fuzz.tell(7, false);
        assertThat(Fuzz.tell(7, false).hash()).isEqualTo(once.hash());
        assertThat(Fuzz.story(7)).isNotEqualTo(Fuzz.story(8));
    }
}
