package dev.kip.controller.telemetry;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/** A loop that a test turns by hand. */
final class HandLoop implements Loop {

    private record Waiting(long due, Runnable task) {}

    private final Queue<Runnable> posted = new ArrayDeque<>();
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>(Comparator.comparingLong(Waiting::due));
    private long nanos;

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nanos);
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public void post(Runnable task) {
        posted.add(task);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        Waiting entry = new Waiting(nanos + delay.toNanos(), task);
        waiting.add(entry);
        return () -> waiting.remove(entry);
    }

    void drain() {
        while (!posted.isEmpty()) {
            posted.remove().run();
        }
    }

    void pass(Duration time) {
        long end = nanos + time.toNanos();
        drain();
        while (!waiting.isEmpty() && waiting.peek().due() <= end) {
            Waiting next = waiting.remove();
            nanos = Math.max(nanos, next.due());
            next.task().run();
            drain();
        }
        nanos = end;
    }
}
