package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;

/** Where one pod's cell stands. Each phase says what happens next; nothing else does. Pure; called on the loop. */
public sealed interface CellPhase permits Wanted, Launching, Bound, Leaving {

    /** Shared: nothing to do costs nothing. */
    ImmutableList<Intent> NOTHING = ImmutableList.of();

    /**
     * Intents in the order in which they must take effect; empty when all that was asked for is still under way.
     *
     * @param now by {@link dev.kip.loop.Loop#nanos}
     */
    ImmutableList<Intent> next(CellFacts cell, Policy policy, long now);

    /** The first time after {@code now} at which {@link #next} may differ though nothing else has changed. */
    long due(CellFacts cell, Policy policy, long now);

    /** No time at all. */
    long NEVER = Long.MAX_VALUE;

    /** The earlier of two times, of which only {@code other} may be past, and then does not count. */
    static long earlier(long time, long other, long now) {
        return other - now > 0 ? Math.min(time, other) : time;
    }

    /** For counts. */
    String name();
}
