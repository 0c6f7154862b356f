package dev.kip.sim.cell;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;

/** A cell's share of a loop that many cells run on: what it has planned does not happen once the power is off. */
final class PoweredLoop implements Loop {

    private final Loop shared;
    private boolean on = true;

    PoweredLoop(Loop shared) {
        this.shared = shared;
    }

    void off() {
        on = false;
    }

    @Override
    public Instant now() {
        return shared.now();
    }

    @Override
    public long nanos() {
        return shared.nanos();
    }

    @Override
    public void post(Runnable task) {
        shared.post(whileOn(task));
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        return shared.after(delay, whileOn(task));
    }

    private Runnable whileOn(Runnable task) {
        return () -> {
            if (on) {
                task.run();
            }
        };
    }
}
