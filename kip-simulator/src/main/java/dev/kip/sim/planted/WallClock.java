package dev.kip.sim.planted;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;

/** Ages by the wall clock, which may be set, in place of the monotonic one. */
final class WallClock implements Loop {

    private final Loop real;

    WallClock(Loop real) {
        this.real = real;
    }

    @Override
    public Instant now() {
        return real.now();
    }

    @Override
    public long nanos() {
        return Duration.between(Instant.EPOCH, real.now()).toNanos();
    }

    @Override
    public void post(Runnable task) {
        real.post(task);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        return real.after(delay, task);
    }
}
