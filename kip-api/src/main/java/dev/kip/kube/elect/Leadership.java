package dev.kip.kube.elect;

import java.util.Optional;

/** Told of this process's turns as leader: acquired, lost, acquired, and so on. Called on the loop. */
public interface Leadership {

    /** The lease was written with our name, in this process's life. */
    void acquired();

    /** The lease was written again: until {@link LeaderElector#leadUntil} nobody else has it. */
    default void renewed() {}

    /**
     * Whether the API server refuses this process its lease, which no waiting cures.
     *
     * @param why the server's words; empty when it answers again
     */
    default void refused(Optional<String> why) {}

    /** Nothing may be mutated from now on. */
    void lost(String why);
}
