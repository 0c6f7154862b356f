package dev.kip.controller.ownership;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;

/**
 * The anchor store's clock, as its answers show it. Errs towards later only: who compares it with the store's own time
 * thinks the anchor younger than it is, and waits a little longer. Confined to the loop.
 */
final class StoreClock {

    /** The store tells whole seconds. */
    private static final Duration GRAIN = Duration.ofSeconds(1);

    private final Loop loop;
    private Instant told = Instant.EPOCH;
    private long sentAt;

    StoreClock(Loop loop) {
        this.loop = loop;
    }

    /** @param sent when the request left, by {@link Loop#nanos} */
    void answered(Instant serverTime, long sent) {
        told = serverTime;
        sentAt = sent;
    }

    Instant latest() {
        return told.plus(GRAIN).plusNanos(loop.nanos() - sentAt);
    }
}
