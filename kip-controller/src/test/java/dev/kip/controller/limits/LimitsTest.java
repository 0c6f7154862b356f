package dev.kip.controller.limits;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CallKind;
import dev.kip.cloud.CallLimits;
import dev.kip.cloud.CallLimits.Bucket;
import dev.kip.cloud.CallLimits.Cost;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.world.FakeProcess;
import dev.kip.controller.world.VirtualTime;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LimitsTest {

    private static final Bucket LAUNCHES = new Bucket("launches", 5, 2);
    private static final Bucket LAUNCHED = new Bucket("launched", 1000, 2);
    private static final Bucket CHANGES = new Bucket("changes", 2, 1);
    private static final CallLimits TABLE = new CallLimits(ImmutableMap.of(
            CallKind.LAUNCH, new Cost(LAUNCHES, Optional.of(LAUNCHED)),
            CallKind.STOP, new Cost(CHANGES, Optional.empty()),
            CallKind.CHANGE, new Cost(CHANGES, Optional.empty()),
            CallKind.LIST, new Cost(new Bucket("lists", 100, 20), Optional.empty())));

    private final VirtualTime time = new VirtualTime();
    private final FakeProcess loop = new FakeProcess(time);
    private final List<String> paces = new ArrayList<>();
    private final Limits limits = new Limits(loop, TABLE, new ControllerListener() {
        @Override
        public void pace(String bucket, double share) {
            paces.add(bucket + " " + Math.round(share * 100));
        }
    });
    private final List<Long> sent = new ArrayList<>();
    private final List<String> order = new ArrayList<>();
    private final long began = loop.nanos();

    private static final Outcome<Boolean, CloudError> OK = Outcome.ok(true);
    private static final Outcome<Boolean, CloudError> REFUSED =
            Outcome.failed(new CloudError.Throttled(Duration.ofSeconds(1), "RequestLimitExceeded"));

    private long millis() {
        return Duration.ofNanos(loop.nanos() - began).toMillis();
    }

    /** A call that the cloud counts after {@code there}, and whose answer is back after as long again. */
    private void call(CallKind kind, int count, Duration there, Outcome<Boolean, CloudError> answer) {
        limits.send(kind, count, permit -> {
            sent.add(millis());
            order.add(kind.name());
            CompletableFuture<Outcome<Boolean, CloudError>> stage = new CompletableFuture<>();
            loop.after(there.multipliedBy(2), () -> stage.complete(answer));
            permit.use(count, stage);
            return true;
        });
    }

    @Test
    void a_burst_leaves_at_once_and_then_as_many_as_come_back() {
        for (int i = 0; i < 8; i++) {
            call(CallKind.LAUNCH, 1, Duration.ZERO, OK);
        }
        time.advance(Duration.ofSeconds(10));

        assertThat(sent).containsExactly(0L, 0L, 0L, 0L, 0L, 500L, 1_000L, 1_500L);
    }

    @Test
    void what_is_not_used_is_saved_up_to_the_burst() {
        call(CallKind.LAUNCH, 1, Duration.ZERO, OK);
        time.advance(Duration.ofHours(1));
        sent.clear();
        long from = millis();
        for (int i = 0; i < 6; i++) {
            call(CallKind.LAUNCH, 1, Duration.ZERO, OK);
        }
        time.advance(Duration.ofSeconds(10));

        assertThat(sent).containsExactly(from, from, from, from, from, from + 500);
    }

    @Test
    void tokens_come_back_only_once_a_call_can_have_been_counted() {
        for (int i = 0; i < 6; i++) {
            call(CallKind.LAUNCH, 1, Duration.ofMillis(100), OK);
        }
        time.advance(Duration.ofSeconds(10));

        assertThat(sent.get(5)).as("the first five are answered after 200 ms").isEqualTo(700L);
    }

    @Test
    void a_call_that_never_answers_counts_as_taken_after_a_while() {
        for (int i = 0; i < 6; i++) {
            call(CallKind.LAUNCH, 1, Duration.ofHours(1), OK);
        }
        time.advance(Duration.ofSeconds(10));

        assertThat(sent.get(5)).isEqualTo(1_000L);
    }

    @Test
    void instances_are_counted_too() {
        for (int i = 0; i < 6; i++) {
            call(CallKind.LAUNCH, 200, Duration.ZERO, OK);
        }
        time.advance(Duration.ofMinutes(10));

        assertThat(sent).containsExactly(0L, 0L, 0L, 0L, 0L, 100_000L);
    }

    @Test
    void the_urgent_kind_goes_first_where_both_take_from_one_bucket() {
        for (int i = 0; i < 2; i++) {
            call(CallKind.CHANGE, 1, Duration.ZERO, OK);
        }
        call(CallKind.CHANGE, 1, Duration.ZERO, OK);
        call(CallKind.STOP, 1, Duration.ZERO, OK);
        time.advance(Duration.ofSeconds(10));

        assertThat(order).containsExactly("CHANGE", "CHANGE", "STOP", "CHANGE");
    }

    @Test
    void an_empty_bucket_holds_up_nobody_who_takes_from_another() {
        for (int i = 0; i < 9; i++) {
            call(CallKind.LAUNCH, 1, Duration.ZERO, OK);
        }
        call(CallKind.LIST, 1, Duration.ZERO, OK);

        assertThat(order).hasSize(6).endsWith("LIST");
    }

    @Test
    void a_refusal_teaches_to_be_slower_and_time_to_be_faster_again() {
        call(CallKind.LAUNCH, 1, Duration.ofMillis(1), REFUSED);
        time.advance(Duration.ofMillis(10));
        assertThat(paces).endsWith("launches 70");
        sent.clear();
        call(CallKind.LAUNCH, 1, Duration.ofMillis(1), OK);
        time.advance(Duration.ofSeconds(2));
        assertThat(sent)
                .as("0.7 of 2 a second come back")
                .hasSize(1)
                .first()
                .satisfies(at -> assertThat(at).isBetween(714L, 720L));

        for (int i = 0; i < 6; i++) {
            time.advance(Duration.ofSeconds(31));
            call(CallKind.LAUNCH, 1, Duration.ofMillis(1), OK);
        }
        time.advance(Duration.ofSeconds(1));
        assertThat(paces).endsWith("launches 95", "launches 100");
    }

    @Test
    void calls_that_were_refused_together_teach_once() {
        for (int i = 0; i < 5; i++) {
            call(CallKind.LAUNCH, 1, Duration.ofMillis(1), REFUSED);
        }
        time.advance(Duration.ofMillis(100));

        assertThat(paces).endsWith("launches 70");
    }

    @Test
    void a_second_refusal_in_a_row_is_blamed_on_the_instances_as_well() {
        call(CallKind.LAUNCH, 100, Duration.ofMillis(1), REFUSED);
        time.advance(Duration.ofSeconds(5));
        call(CallKind.LAUNCH, 100, Duration.ofMillis(1), REFUSED);
        time.advance(Duration.ofMillis(100));

        assertThat(paces).contains("launches 49", "launched 70");
    }

    @Test
    void a_permit_that_is_given_back_leaves_room_for_another() {
        List<Limits.Permit> permits = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            permits.add(limits.reserve(CallKind.LAUNCH, 200).orElseThrow());
        }
        assertThat(limits.reserve(CallKind.LAUNCH, 1)).isEmpty();
        permits.get(0).giveBack();
        permits.get(0).giveBack();

        assertThat(limits.reserve(CallKind.LAUNCH, 200)).isPresent();
        assertThat(limits.reserve(CallKind.LAUNCH, 1)).isEmpty();
    }

    @Test
    void a_permit_that_is_used_for_fewer_leaves_the_others_to_others() {
        limits.reserve(CallKind.LAUNCH, 1000).orElseThrow().use(100, CompletableFuture.completedFuture(OK));

        assertThat(limits.reserve(CallKind.LAUNCH, 900)).isPresent();
    }

    @Test
    void reads_that_hang_leave_slots_to_others() {
        for (int i = 0; i < 20; i++) {
            call(CallKind.LIST, 1, Duration.ofSeconds(5), OK);
        }
        call(CallKind.STOP, 1, Duration.ZERO, OK);
        time.advance(Duration.ofSeconds(1));
        assertThat(order).hasSize(9).endsWith("STOP");

        time.advance(Duration.ofMinutes(1));
        assertThat(order).hasSize(21);
    }

    @Test
    void what_nobody_wants_any_more_takes_nothing() {
        for (int i = 0; i < 10; i++) {
            limits.send(CallKind.LAUNCH, 1, permit -> false);
        }
        call(CallKind.LAUNCH, 1, Duration.ZERO, OK);

        assertThat(sent).containsExactly(0L);
    }

    @Test
    void without_limits_everything_leaves_at_once() {
        Limits none = new Limits(loop, CallLimits.NONE, ControllerListener.NONE);

        for (int i = 0; i < 1000; i++) {
            assertThat(none.reserve(CallKind.LAUNCH, 1000)).isPresent();
        }
    }
}
