package dev.kip.loop.system;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loop on one daemon thread. A task that throws is logged, and the loop goes on. Due timers and posted tasks take
 * turns, so that neither can starve the other.
 */
public final class SystemLoop implements Loop, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SystemLoop.class);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<Runnable> posted = new ArrayDeque<>();
    private final PriorityQueue<Waiting> waiting =
            new PriorityQueue<>(Comparator.comparingLong((Waiting w) -> w.due).thenComparingLong(w -> w.sequence));
    private final long origin = System.nanoTime();
    private long sequence;
    private boolean closed;
    private volatile LongConsumer taskTook = nanos -> {};

    private SystemLoop(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** @param name of the thread, for logs and thread dumps */
    public static SystemLoop start(String name) {
        var loop = new SystemLoop(name);
        loop.thread.start();
        return loop;
    }

    /**
     * Has it told, on the loop, for how many nanoseconds each task kept the loop: what all others waited for it.
     *
     * @param next in place of whoever was told before
     */
    public void observe(LongConsumer next) {
        taskTook = next;
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long nanos() {
        return System.nanoTime() - origin;
    }

    @Override
    public void post(Runnable task) {
        lock.lock();
        try {
            if (!closed) {
                posted.add(task);
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        long due = nanos() + Math.max(0, saturated(delay));
        lock.lock();
        try {
            var entry = new Waiting(due, sequence++, task);
            if (!closed) {
                waiting.add(entry);
                changed.signal();
            }
            return () -> forget(entry);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the loop after the task that is running; what waits is dropped. From any thread; waits for the thread's end, unless called on the loop. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            posted.clear();
            waiting.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
        if (Thread.currentThread() != thread) {
            try {
                thread.join(CLOSE_PATIENCE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static long saturated(Duration delay) {
        return delay.compareTo(Duration.ofDays(36_500)) > 0
                ? Duration.ofDays(36_500).toNanos()
                : delay.toNanos();
    }

    private void forget(Waiting entry) {
        lock.lock();
        try {
            entry.cancelled = true;
            waiting.remove(entry);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean timersFirst = true;
        while (true) {
            Runnable task = take(timersFirst);
            if (task == null) {
                return;
            }
            timersFirst = !timersFirst;
            long began = System.nanoTime();
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a task of the loop failed", e);
            }
            taskTook.accept(System.nanoTime() - began);
        }
    }

    private @Nullable Runnable take(boolean timersFirst) {
        lock.lock();
        try {
            while (!closed) {
                Waiting next = waiting.peek();
                long left = next == null ? Long.MAX_VALUE : next.due - nanos();
                if (next != null && left <= 0 && (timersFirst || posted.isEmpty())) {
                    return timer(waiting.remove());
                }
                if (!posted.isEmpty()) {
                    return posted.remove();
                }
                changed.awaitNanos(left);
            }
            return null;
        } catch (InterruptedException e) {
            // Nobody but close() may end this thread.
            return () -> LOG.warn("the loop's thread was interrupted; it goes on");
        } finally {
            lock.unlock();
        }
    }

    private Runnable timer(Waiting entry) {
        return () -> {
            if (!entry.cancelled) {
                entry.task.run();
            }
        };
    }

    private static final class Waiting {
        final long due;
        final long sequence;
        final Runnable task;
        boolean cancelled;

        Waiting(long due, long sequence, Runnable task) {
            this.due = due;
            this.sequence = sequence;
            this.task = task;
        }
    }
}
