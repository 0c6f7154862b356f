package dev.kip.loop;

import java.time.Duration;
import java.time.Instant;

/**
 * A moment in the life of this process, by both of its clocks. The monotonic one stands still while a machine is suspended,
 * and what others wait for meanwhile passes; the wall clock shows it. So it may shorten a right that was given for a time,
 * and never lengthens one: a wall clock that is set ahead costs the rest of that right, and one that is set back nothing.
 *
 * @param nanos by {@link Loop#nanos}
 * @param wall by {@link Loop#now}
 */
public record Stamp(long nanos, Instant wall) {

    public static Stamp now(Loop loop) {
        return new Stamp(loop.nanos(), loop.now());
    }

    /** By how much the wall clock has gone ahead of the monotonic one since then; never negative. */
    public Duration slept(Loop loop) {
        Duration ahead = Duration.between(wall, loop.now()).minusNanos(loop.nanos() - nanos);
        return ahead.isNegative() ? Duration.ZERO : ahead;
    }

    /** When {@code span} will have passed since then by either clock, on {@link Loop#nanos}. */
    public long end(Duration span, Loop loop) {
        return nanos + span.minus(slept(loop)).toNanos();
    }
}
