package dev.kip.kube.elect;

/** Told of this process's turns as leader: acquired, lost, acquired, and so on. Called on the loop. */
public interface Leadership {

    /** The lease was written with our name, in this process's life. */
    void acquired();

    /** Nothing may be mutated from now on. */
    void lost(String why);
}
