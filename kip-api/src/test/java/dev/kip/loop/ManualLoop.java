package dev.kip.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** A loop that runs on the test's own thread, when told, in virtual time. Posting is safe from any thread. */
public final class ManualLoop implements Loop {

    private static final Instant START = Instant.parse("2026-11-30T12:00:00Z");
    private static final int PATIENCE_SECONDS = 10;

    private final BlockingQueue<Runnable> posted = new LinkedBlockingQueue<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final long origin;
    private long nanos;
    private Duration clockError = Duration.ZERO;
    private long sequence;

    public ManualLoop() {
        this(0);
    }

    /** @param origin what {@link #nanos} shows at first: monotonic clocks of different machines share no origin */
    public ManualLoop(long origin) {
        this.origin = origin;
    }

    @Override
    public Instant now() {
        return START.plusNanos(nanos).plus(clockError);
    }

    @Override
    public long nanos() {
        return origin + nanos;
    }

    @Override
    public void post(Runnable task) {
        posted.add(task);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        var entry = new Waiting(nanos + Math.max(0, delay.toNanos()), sequence++, task);
        waiting.add(entry);
        return () -> waiting.remove(entry);
    }

    /** The wall clock jumps; the monotonic one does not. */
    public void setClockError(Duration error) {
        clockError = error;
    }

    /** Runs what is posted, and what that posts. */
    public void run() {
        for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
            task.run();
        }
    }

    /** Lets time pass, firing each timer at its time. */
    public void advance(Duration duration) {
        long end = nanos + duration.toNanos();
        run();
        for (Waiting next = next(); next != null && next.due <= end; next = next()) {
            waiting.remove(next);
            nanos = next.due;
            next.task.run();
            run();
        }
        nanos = end;
    }

    /** Runs what other threads post until {@code condition} holds; virtual time stands still. */
    public void runUntil(BooleanSupplier condition) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            Runnable task = poll(giveUp - System.nanoTime());
            if (task == null) {
                throw new AssertionError("nothing came of it within " + PATIENCE_SECONDS + " s");
            }
            task.run();
        }
    }

    /** What {@code stage} completes with, once other threads have done their part. */
    public <T> T await(CompletionStage<T> stage) {
        var result = new AtomicReference<T>();
        stage.thenAccept(result::set);
        runUntil(() -> result.get() != null);
        return result.get();
    }

    /** Moves time on to the next timer and fires it. */
    public Duration toNextTimer() {
        Duration left = Duration.ofNanos(next().due - nanos);
        advance(left);
        return left;
    }

    private Waiting next() {
        return waiting.stream()
                .min(Comparator.comparingLong((Waiting w) -> w.due).thenComparingLong(w -> w.sequence))
                .orElse(null);
    }

    private Runnable poll(long nanosLeft) {
        try {
            return posted.poll(nanosLeft, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Waiting(long due, long sequence, Runnable task) {}
}
