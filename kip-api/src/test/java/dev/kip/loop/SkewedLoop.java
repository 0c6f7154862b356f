package dev.kip.loop;

import java.time.Duration;
import java.time.Instant;

/** Another machine in the same virtual time: its wall clock is wrong, its monotonic clock starts elsewhere. */
public record SkewedLoop(Loop loop, Duration error, long origin) implements Loop {

    @Override
    public Instant now() {
        return loop.now().plus(error);
    }

    @Override
    public long nanos() {
        return loop.nanos() + origin;
    }

    @Override
    public void post(Runnable task) {
        loop.post(task);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        return loop.after(delay, task);
    }
}
