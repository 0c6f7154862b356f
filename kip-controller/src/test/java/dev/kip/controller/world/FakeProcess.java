package dev.kip.controller.world;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;

/** The loop of one process. Once it is dead nothing of it runs any more; what it sent goes on. */
public final class FakeProcess implements Loop {

    private final VirtualTime time;
    private boolean dead;

    public FakeProcess(VirtualTime time) {
        this.time = time;
    }

    boolean dead() {
        return dead;
    }

    void kill() {
        dead = true;
    }

    @Override
    public Instant now() {
        return time.instant();
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public void post(Runnable task) {
        after(Duration.ZERO, task);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        boolean[] cancelled = {false};
        time.at(delay, () -> {
            if (!cancelled[0] && !dead) {
                task.run();
            }
        });
        return () -> cancelled[0] = true;
    }
}
