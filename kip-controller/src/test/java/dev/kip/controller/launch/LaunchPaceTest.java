package dev.kip.controller.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaunchPaceTest {

    private static final long START = 1_000_000_000L;

    private final LaunchPace pace = new LaunchPace();

    @Test
    void five_calls_leave_at_once_and_then_two_a_second() {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waits.add(pace.reserve(START).toMillis());
        }
        assertThat(waits).containsExactly(0L, 0L, 0L, 0L, 0L, 500L, 1_000L, 1_500L);
    }

    @Test
    void what_is_not_used_is_saved_up_to_the_burst() {
        for (int i = 0; i < 5; i++) {
            pace.reserve(START);
        }
        long later = START + Duration.ofMillis(500).toNanos();
        assertThat(pace.reserve(later)).isZero();
        assertThat(pace.reserve(later)).isEqualTo(Duration.ofMillis(500));

        long muchLater = START + Duration.ofHours(1).toNanos();
        for (int i = 0; i < 5; i++) {
            assertThat(pace.reserve(muchLater)).isZero();
        }
        assertThat(pace.reserve(muchLater)).isEqualTo(Duration.ofMillis(500));
    }
}
