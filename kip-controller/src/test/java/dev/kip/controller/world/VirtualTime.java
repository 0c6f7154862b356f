package dev.kip.controller.world;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** One heap of tasks by time and sequence. */
public final class VirtualTime {

    private static final Instant ORIGIN = Instant.parse("2026-11-30T12:00:00Z");

    private record Task(long time, long sequence, Runnable body) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::time).thenComparingLong(Task::sequence));
    private long now;
    private long sequence;
    private long ran;

    public long nanos() {
        return now;
    }

    Instant instant() {
        return ORIGIN.plusNanos(now);
    }

    void at(Duration delay, Runnable body) {
        tasks.add(new Task(now + Math.max(0, delay.toNanos()), sequence++, body));
    }

    long ran() {
        return ran;
    }

    public void advance(Duration span) {
        long end = now + span.toNanos();
        while (!tasks.isEmpty() && tasks.peek().time() <= end) {
            Task next = tasks.remove();
            now = next.time();
            ran++;
            next.body().run();
        }
        now = end;
    }
}
