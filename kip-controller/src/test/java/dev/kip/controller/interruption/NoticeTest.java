package dev.kip.controller.interruption;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NoticeTest {

    private static final Instant AT = Instant.parse("2030-01-01T00:00:00Z");

    private static long seconds(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void the_pod_is_evicted_until_no_more_than_its_grace_is_left() {
        Notice notice = Notice.of(AT, AT, 0);
        Duration grace = Duration.ofSeconds(20);

        assertThat(notice.step(grace, 0)).isEqualTo(Notice.Step.EVICT);
        assertThat(notice.step(grace, seconds(94))).isEqualTo(Notice.Step.EVICT);
        assertThat(notice.step(grace, seconds(95))).isEqualTo(Notice.Step.DELETE);
        assertThat(notice.step(grace, seconds(115))).isEqualTo(Notice.Step.NOTHING);
    }

    @Test
    void a_budget_is_kept_for_a_while_however_long_the_pod_would_take() {
        Notice notice = Notice.of(AT, AT, 0);

        assertThat(notice.step(Duration.ofHours(1), seconds(80))).isEqualTo(Notice.Step.EVICT);
        assertThat(notice.step(Duration.ofHours(1), seconds(85))).isEqualTo(Notice.Step.DELETE);
    }

    @Test
    void the_grace_is_clipped_to_the_time_left() {
        Notice notice = Notice.of(AT, AT.plusSeconds(15), 0);

        assertThat(notice.grace(Duration.ofSeconds(30), 0)).hasSeconds(30);
        assertThat(notice.grace(Duration.ofHours(1), 0)).hasSeconds(100);
        assertThat(notice.grace(Duration.ofHours(1), seconds(70))).hasSeconds(30);
        assertThat(notice.grace(Duration.ofHours(1), seconds(200))).hasSeconds(1);
    }

    @Test
    void a_clock_that_is_wrong_makes_it_neither_longer_than_two_minutes_nor_nothing() {
        assertThat(Notice.of(AT, AT.minusSeconds(3600), 0).end()).isEqualTo(seconds(115));
        assertThat(Notice.of(AT, AT.plusSeconds(3600), 0).end()).isEqualTo(seconds(5));
    }
}
