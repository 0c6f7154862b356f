package dev.kip.cell.wire;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The dead man's timer: what no living controller claims ends by itself. Another limit holds while a pod runs. It counts by
 * the monotonic clock. Confined to the loop.
 */
public final class DeadMan {

    private final Loop loop;
    private final UserData userData;
    private final BooleanSupplier runs;
    private final Runnable shutdown;
    private long lastContact;
    private Optional<Loop.Timer> silence = Optional.empty();

    /**
     * @param runs whether a pod is held that has not ended
     * @param shutdown ends the machine; called again after each limit, should it not end
     */
    public DeadMan(Loop loop, UserData userData, BooleanSupplier runs, Runnable shutdown) {
        this.loop = loop;
        this.userData = userData;
        this.runs = runs;
        this.shutdown = shutdown;
        this.lastContact = loop.nanos();
    }

    /** The installation's controller has spoken, and is not fenced. */
    public void contact() {
        lastContact = loop.nanos();
    }

    /** Begins, or begins anew because a pod has come or gone. */
    public void listen() {
        silence.ifPresent(Loop.Timer::cancel);
        silence = Optional.empty();
        Optional<Duration> most = runs.getAsBoolean() ? userData.deadMan() : userData.inertDeadMan();
        if (most.isEmpty()) {
            return;
        }
        Duration left = most.get().minus(Duration.ofNanos(loop.nanos() - lastContact));
        if (left.isZero() || left.isNegative()) {
            shutdown.run();
            silence = Optional.of(loop.after(most.get(), this::listen));
        } else {
            silence = Optional.of(loop.after(left, this::listen));
        }
    }
}
