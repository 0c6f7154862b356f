package dev.kip.kube.elect;

/** Told of this process's turns as leader: acquired, lost, acquired, and so on. Called on the loop. */
public interface Leadership {

    /** The lease was written with our name, in this process's life. */
    void acquired();

    /** The lease was written again: until {@link LeaderElector#leadUntil} nobody else has it. */
    default void renewed() {}

    /** Nothing may be mutated from now on. */
    void lost(String why);
}
