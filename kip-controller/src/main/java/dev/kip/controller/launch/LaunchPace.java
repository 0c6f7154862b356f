package dev.kip.controller.launch;

import java.time.Duration;

/**
 * Launch calls as EC2 lets them through: a burst of five, then two a second (request bucket of RunInstances, EC2 API
 * throttling). A call that would be refused costs one more than a call that waits. First come, first served; confined to
 * the loop.
 */
final class LaunchPace {

    private static final int BURST = 5;
    private static final Duration REFILL = Duration.ofMillis(500);

    private long freeFrom = Long.MIN_VALUE;

    /**
     * Counts a call.
     *
     * @param now monotonic nanoseconds
     * @return how long it has to wait; zero if it may leave at once
     */
    Duration reserve(long now) {
        long full = now - BURST * REFILL.toNanos();
        freeFrom = Math.max(freeFrom, full) + REFILL.toNanos();
        return Duration.ofNanos(Math.max(0, freeFrom - now));
    }
}
