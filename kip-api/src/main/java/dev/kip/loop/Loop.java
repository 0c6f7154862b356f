package dev.kip.loop;

import java.time.Duration;
import java.time.Instant;

/**
 * The one loop of a process. All state of the process is confined to it; {@link #post} is the only method that may be
 * called from elsewhere. Tasks run one at a time, in the order in which they were posted.
 */
public interface Loop {

    /** Wall-clock time. May jump in either direction: compare it with what other machines wrote, never for durations. */
    Instant now();

    /** Monotonic time in nanoseconds from an arbitrary origin, for durations within this process. */
    long nanos();

    /** Runs {@code task} on the loop, later. Safe from any thread. */
    void post(Runnable task);

    /** Runs {@code task} on the loop once {@code delay} has passed by the monotonic clock. Called on the loop. */
    Timer after(Duration delay, Runnable task);

    /** A task that waits for its time. */
    interface Timer {

        /** The task will not run, if it has not begun. Called on the loop. */
        void cancel();
    }
}
