package dev.kip.sim.kernel;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Virtual time: one heap of events ordered by (time, sequence), run one at a time on the caller's thread. An event that
 * belongs to a process is dropped when that process has died meanwhile. Time jumps to the next event.
 */
public final class Kernel {

    private final Agenda agenda = new Agenda();
    private final Instant epoch;
    private final SeededEntropy entropy;
    private final Trace trace;
    private long nanos;
    private long sequence;
    private long executed;
    private Runnable afterEach = () -> {};

    public Kernel(long seed, Instant epoch, Trace trace) {
        this.entropy = new SeededEntropy(seed);
        this.epoch = epoch;
        this.trace = trace;
        trace.mix(seed);
    }

    /** Since the world began. */
    public Duration elapsed() {
        return Duration.ofNanos(nanos);
    }

    public long nanos() {
        return nanos;
    }

    /** True time; a process sees it through its own, possibly wrong, clock. */
    public Instant now() {
        return epoch.plusNanos(nanos);
    }

    public SeededEntropy entropy(String name) {
        return entropy.fork(name);
    }

    public Trace trace() {
        return trace;
    }

    public long executed() {
        return executed;
    }

    /** Runs after every event: invariants are checked here. */
    public void afterEach(Runnable check) {
        this.afterEach = check;
    }

    /** An event of the world itself: it happens whoever has died. */
    public void schedule(Duration delay, Runnable task) {
        insert(delay, "", () -> true, task);
    }

    /**
     * From now on, who runs first of those that are due at one moment is drawn, anew at a few drawn moments; each process's
     * own events stay in order.
     */
    public void drawOrder() {
        agenda.drawOrder(entropy("order"));
    }

    /** @param owner whose events stay in order among themselves: a process's name, empty for the world */
    void insert(Duration delay, String owner, BooleanSupplier wanted, Runnable task) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("an event in the past: " + delay);
        }
        agenda.add(new Agenda.Event(nanos + delay.toNanos(), sequence++, owner, wanted, task));
    }

    /** Runs the next event; false if there is none. */
    public boolean step() {
        Optional<Agenda.Event> next = agenda.take();
        if (next.isEmpty()) {
            return false;
        }
        Agenda.Event event = next.get();
        nanos = event.at();
        if (event.wanted().getAsBoolean()) {
            executed++;
            trace.mix(event.at());
            event.task().run();
            afterEach.run();
        }
        return true;
    }

    /**
     * Runs until {@code done}, at most for {@code limit} of virtual time.
     *
     * @return whether it became so
     */
    public boolean runUntil(BooleanSupplier done, Duration limit) {
        long end = nanos + limit.toNanos();
        while (!done.getAsBoolean()) {
            if (agenda.nextAt() > end) {
                nanos = Math.max(nanos, end);
                return done.getAsBoolean();
            }
            step();
        }
        return true;
    }

    /** Lets {@code time} pass. */
    public void runFor(Duration time) {
        runUntil(() -> false, time);
    }
}
