package dev.kip.kube;

import dev.kip.entropy.Entropy;
import java.time.Duration;

/** Delays that double from {@code first} to {@code most}, each drawn within a quarter around its mark. Confined to the loop. */
public final class Backoff {

    private final Entropy entropy;
    private final Duration first;
    private final Duration most;
    private Duration mark;

    public Backoff(Entropy entropy, Duration first, Duration most) {
        this.entropy = entropy;
        this.first = first;
        this.most = most;
        this.mark = first;
    }

    /** The next delay. */
    public Duration next() {
        long nanos = mark.toNanos();
        Duration doubled = mark.multipliedBy(2);
        mark = doubled.compareTo(most) > 0 ? most : doubled;
        return Duration.ofNanos(nanos - nanos / 4 + entropy.below(Math.max(1, nanos / 2)));
    }

    /** The next delay is the first again. */
    public void reset() {
        mark = first;
    }
}
