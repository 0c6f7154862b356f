package dev.kip.controller.interruption;

import java.time.Duration;
import java.time.Instant;

/**
 * When an instance is taken back, and what can be done for its pod until then. The pod is evicted, so that disruption budgets
 * are kept; when no more than its grace is left it is deleted, whatever they say. Pure.
 *
 * @param end by {@link dev.kip.loop.Loop#nanos}
 */
record Notice(long end) {

    static final Duration SPAN = Duration.ofMinutes(2);

    /** EC2 does not keep the two minutes to the second. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    /** A budget is not set aside for longer than this, however long the pod would like to take for its end. */
    private static final Duration LONGEST_RESERVE = Duration.ofSeconds(30);

    private static final Duration LEAST_GRACE = Duration.ofSeconds(1);

    /** What is to be done for the pod now. */
    enum Step {
        EVICT,
        DELETE,
        /** It is over; what is left of the pod ends with its instance. */
        NOTHING
    }

    /**
     * @param at when the cloud says that it was decided, by its clock
     * @param now by ours, which may be wrong: no more than two minutes are left in any case, and something is
     */
    static Notice of(Instant at, Instant now, long nanos) {
        Duration left = SPAN.minus(Duration.between(at, now));
        Duration most = left.compareTo(SPAN) < 0 ? left : SPAN;
        Duration kept = most.compareTo(MARGIN.multipliedBy(2)) > 0 ? most : MARGIN.multipliedBy(2);
        return new Notice(nanos + kept.minus(MARGIN).toNanos());
    }

    Step step(Duration grace, long nanos) {
        if (end - nanos <= 0) {
            return Step.NOTHING;
        }
        Duration reserve = grace.compareTo(LONGEST_RESERVE) < 0 ? grace : LONGEST_RESERVE;
        return left(nanos).compareTo(reserve) > 0 ? Step.EVICT : Step.DELETE;
    }

    /** The pod's own grace, or as much of it as there is time for. */
    Duration grace(Duration own, long nanos) {
        Duration left = left(nanos);
        Duration clipped = own.compareTo(left) < 0 ? own : left;
        return clipped.compareTo(LEAST_GRACE) > 0 ? clipped : LEAST_GRACE;
    }

    private Duration left(long nanos) {
        return Duration.ofNanos(Math.max(0, end - nanos));
    }
}
