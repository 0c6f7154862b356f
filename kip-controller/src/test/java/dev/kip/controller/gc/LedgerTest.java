package dev.kip.controller.gc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationStatus;
import dev.kip.crd.ObjectMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was ended is written in the record, and outlives the controller that wrote it. */
class LedgerTest {

    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");
    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

    private static Installation record() {
        return new Installation(
                ObjectMetadata.named("kip"),
                new InstallationSpec("id", 1, "uid", "", "us-east-1", "", "", false, "", ImmutableList.of()),
                InstallationStatus.NONE);
    }

    private static Ledger of(String node, Installation record) {
        return new Ledger(node, HALF_AN_HOUR, record);
    }

    @Test
    void the_next_incarnation_reads_what_the_last_one_wrote_and_each_node_its_own() {
        Installation one = of("one", record()).with(record(), ImmutableList.of("i-1", "i-2"), NOON);
        Installation both = of("two", one).with(one, ImmutableList.of("i-3"), NOON.plusSeconds(60));

        assertThat(of("one", both).entries())
                .containsExactly(new Ledger.Entry("i-1", NOON), new Ledger.Entry("i-2", NOON));
        assertThat(of("two", both).entries()).containsExactly(new Ledger.Entry("i-3", NOON.plusSeconds(60)));
    }

    @Test
    void what_is_older_than_it_counts_is_dropped_and_what_is_tried_again_counts_from_then() {
        Ledger ledger = of("kip", record());
        Installation first = ledger.with(record(), ImmutableList.of("i-old", "i-again"), NOON);
        Installation later = ledger.with(first, ImmutableList.of("i-again"), NOON.plus(HALF_AN_HOUR));

        assertThat(of("kip", later).entries()).containsExactly(new Ledger.Entry("i-again", NOON.plus(HALF_AN_HOUR)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "[]", "{\"kip\":7}", "{\"kip\":[{\"instance\":\"i-1\",\"at\":\"soon\"}]}"})
    void what_somebody_else_wrote_in_its_place_says_nothing(String text) {
        Installation record = record();
        Installation edited = new Installation(
                record.metadata().withAnnotation(Ledger.ANNOTATION, text), record.spec(), record.status());

        assertThat(of("kip", edited).entries()).isEmpty();
        assertThat(of("kip", of("kip", edited).with(edited, ImmutableList.of("i-2"), NOON))
                        .entries())
                .hasSize(1);
    }

    @Test
    void a_clock_that_was_ahead_makes_nothing_older_and_nothing_younger_than_now() {
        assertThat(new Ledger.Entry("i-1", NOON.plusSeconds(3600)).age(NOON)).isZero();
        assertThat(new Ledger.Entry("i-1", NOON).age(NOON.plusSeconds(90))).hasSeconds(90);
    }

    @Test
    void a_budget_that_was_spent_before_a_restart_is_spent_after_it() {
        Breaker breaker = new Breaker(new GcSettings(true, false, 2, 0, Duration.ofMinutes(10), Duration.ZERO));
        long now = Duration.ofDays(1).toNanos();
        breaker.remember(ImmutableList.of(Duration.ofMinutes(1), Duration.ofMinutes(9)), now);

        assertThat(breaker.reason(0, 1, 1, Optional.empty(), now)).isPresent();
        assertThat(breaker.reason(
                        0, 1, 1, Optional.empty(), now + Duration.ofMinutes(2).toNanos()))
                .isEmpty();
    }
}
