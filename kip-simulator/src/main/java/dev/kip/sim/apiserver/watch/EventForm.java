package dev.kip.sim.apiserver.watch;

import dev.kip.sim.apiserver.store.Versioned;

/** How objects appear in the events of a watch. */
public interface EventForm {

    /**
     * Watches of equal form are sent the same bytes, which are encoded once. Empty if the bytes depend on the watch itself
     * and must not be shared.
     */
    String sharedAs();

    /** The JSON of the event's {@code object}. */
    byte[] object(Versioned stored);

    /** The object of a BOOKMARK event. */
    byte[] bookmark(long revision, boolean initialEventsEnd);
}
