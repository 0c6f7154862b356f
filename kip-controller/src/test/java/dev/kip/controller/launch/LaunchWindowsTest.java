package dev.kip.controller.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LaunchWindowsTest {

    private static final LaunchKey KEY = new LaunchKey("t3.nano", "x86_64", Market.ON_DEMAND, "subnet-a", 5, false);
    private final LaunchWindows windows = new LaunchWindows(Timing.DEFAULTS);

    private static long ms(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    private static PlannedPod pod(int number) {
        return new PlannedPod("default", "web-" + number, "uid-" + number, 0);
    }

    private LaunchWindows.Group taken(long now) {
        LaunchWindows.Group group = windows.ready(now).orElseThrow();
        windows.take(group);
        return group;
    }

    @Test
    void whoever_has_waited_longest_is_next() {
        LaunchKey other = new LaunchKey("m5.large", "x86_64", Market.ON_DEMAND, "subnet-a", 5, false);
        windows.add(other, pod(0), ms(0));
        windows.add(KEY, pod(1), ms(1));
        taken(ms(100));
        windows.add(other, pod(2), ms(101));

        assertThat(taken(ms(1000)).key()).isEqualTo(KEY);
        assertThat(taken(ms(1000)).key()).isEqualTo(other);
    }

    @Test
    void who_is_not_taken_out_is_joined_by_more_of_its_like() {
        windows.add(KEY, pod(1), ms(0));
        assertThat(windows.ready(ms(500)).orElseThrow().pods()).containsExactly(pod(1));
        windows.add(KEY, pod(2), ms(700));

        assertThat(taken(ms(800)).pods()).containsExactly(pod(1), pod(2));
    }

    @Test
    void a_window_closes_50_ms_after_the_last_arrival() {
        windows.add(KEY, pod(1), ms(0));
        windows.add(KEY, pod(2), ms(30));
        assertThat(windows.due()).isEqualTo(ms(80));
        assertThat(windows.ready(ms(79))).isEmpty();
        assertThat(taken(ms(80)).pods()).containsExactly(pod(1), pod(2));
        assertThat(windows.due()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void it_closes_500_ms_after_the_first_however_many_come() {
        for (int i = 0; i < 20; i++) {
            windows.add(KEY, pod(i), ms(i * 30L));
        }
        assertThat(windows.due()).isEqualTo(ms(500));
    }

    @Test
    void two_hundred_are_taken_at_once_and_the_rest_waits() {
        for (int i = 0; i < 230; i++) {
            windows.add(KEY, pod(i), 0);
        }
        assertThat(taken(0).pods()).hasSize(200);
        assertThat(windows.ready(0)).isEmpty();
        assertThat(taken(ms(50)).pods()).hasSize(30);
    }

    @Test
    void a_rest_waits_for_its_like_from_its_own_arrival_on() {
        int full = LaunchWindows.FULL;
        for (int i = 0; i <= full; i++) {
            windows.add(KEY, pod(i), ms(i));
        }
        assertThat(taken(ms(full)).pods()).hasSize(full);
        assertThat(windows.ready(ms(full))).isEmpty();
        for (int i = 1; i < 20; i++) {
            windows.add(KEY, pod(full + i), ms(full + i * 30L));
        }
        assertThat(windows.due()).isEqualTo(ms(full + 500));
    }
}
