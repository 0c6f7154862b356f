package dev.kip.controller.limits;

import dev.kip.cloud.CallLimits.Bucket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Our picture of a token bucket of the cloud's: never fuller than the real one, as long as we alone take from it. When a call
 * takes its tokens is not known; the later, the fewer have come back by now, so they are taken at the answer, or when the
 * call must have arrived. Confined to the loop.
 */
final class TokenBucket {

    /** A request that is on its way for longer than this has been lost or counted. */
    private static final long ARRIVED = Duration.ofMillis(500).toNanos();

    private static final double SLOWER = 0.7;
    private static final double SLOWEST = 1.0 / 16;
    private static final double FASTER = 0.05;
    private static final long FASTER_EVERY = Duration.ofSeconds(30).toNanos();

    private static final long ONE_LESSON = Duration.ofSeconds(1).toNanos();

    private static final double SECOND = 1e9;

    /** A double that was added up is not to be taken at its last digit. */
    private static final double ROUNDING = 1e-9;

    private final Bucket bucket;
    private final Deque<Taking> underWay = new ArrayDeque<>();
    private double level;
    private double share = 1;
    private double told;
    private long asOf;
    private long lastLesson;
    private int reserved;

    TokenBucket(Bucket bucket, long now) {
        this.bucket = bucket;
        this.level = bucket.burst();
        this.asOf = now;
        this.lastLesson = now - ONE_LESSON;
    }

    /** Tokens that a call takes; first set aside, then under way, at last taken. */
    final class Taking {
        private int count;
        private long arrived;
        private boolean over;

        private Taking(int count) {
            this.count = count;
            reserved += count;
        }

        /** The call leaves with {@code needed} of the tokens; the others are free again. */
        void sent(int needed, long now) {
            if (over) {
                return;
            }
            reserved += Math.min(needed, bucket.burst()) - count;
            count = Math.min(needed, bucket.burst());
            arrived = now + ARRIVED;
            underWay.add(this);
        }

        /** The call was counted by now. */
        void answered(long now) {
            refill(now);
            take();
        }

        /** The call does not leave. */
        void givenBack() {
            if (!over) {
                over = true;
                reserved -= count;
            }
        }

        private void take() {
            if (!over) {
                over = true;
                reserved -= count;
                level -= count;
            }
        }
    }

    /** Sets tokens aside. More than the bucket holds are never there: then a full bucket is enough. */
    Taking reserve(int count) {
        return new Taking(Math.min(count, bucket.burst()));
    }

    /** How long to wait for so many tokens, if nothing else happens; zero if they are there. */
    Duration until(int count, long now) {
        refill(now);
        double missing = Math.min(count, bucket.burst()) - (level - reserved);
        if (missing <= ROUNDING) {
            return Duration.ZERO;
        }
        boolean full = level >= bucket.burst();
        if (full) {
            return underWay.isEmpty()
                    ? Duration.ofNanos(ARRIVED)
                    : Duration.ofNanos(Math.max(1, underWay.getFirst().arrived - now));
        }
        return Duration.ofNanos((long) Math.ceil(missing / perSecond() * SECOND));
    }

    /**
     * The cloud has refused a call for want of tokens: somebody else takes from the bucket, or it is smaller than said.
     *
     * @return whether that is news; calls that were under way together are refused together
     */
    boolean refused(int count, long now) {
        refill(now);
        level = Math.min(level, Math.min(count, bucket.burst()) - 1);
        if (now - lastLesson < ONE_LESSON) {
            return false;
        }
        share = Math.max(SLOWEST, share * SLOWER);
        lastLesson = now;
        return true;
    }

    /** Which part of the documented rate is counted on, from 0 to 1. */
    double share() {
        return share;
    }

    /** The same, if it has changed since this was asked last. */
    Optional<Double> newShare() {
        if (Double.compare(share, told) == 0) {
            return Optional.empty();
        }
        told = share;
        return Optional.of(share);
    }

    String name() {
        return bucket.name();
    }

    private double perSecond() {
        return bucket.perSecond() * share;
    }

    private void refill(long now) {
        while (!underWay.isEmpty() && (underWay.getFirst().over || underWay.getFirst().arrived - now <= 0)) {
            Taking first = underWay.removeFirst();
            if (!first.over) {
                advance(first.arrived);
                first.take();
            }
        }
        advance(now);
    }

    private void advance(long now) {
        if (now - asOf <= 0) {
            return;
        }
        level = Math.min(bucket.burst(), level + (now - asOf) / SECOND * perSecond());
        asOf = now;
        while (share < 1 && now - lastLesson >= FASTER_EVERY) {
            share = Math.min(1, share + FASTER);
            lastLesson += FASTER_EVERY;
        }
    }
}
