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

    /** When {@link #next} may differ though nothing else has changed; {@link Long#MAX_VALUE} for never. */
    long due(CellFacts cell, Policy policy);

    /** For counts. */
    String name();
}
