package dev.kip.sim.wall;

/** A world needs programs that are not there; the message names them and says what to do. */
public final class PartsMissing extends Exception {

    private static final long serialVersionUID = 1L;

    PartsMissing(String message) {
        super(message);
    }
}
