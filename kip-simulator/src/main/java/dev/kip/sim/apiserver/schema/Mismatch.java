package dev.kip.sim.apiserver.schema;

/** A body that cannot be decoded into its kind: a value has the wrong JSON type, or no meaning in its field. */
public final class Mismatch extends RuntimeException {

    Mismatch(String message) {
        super(message, null, false, false);
    }

    /** Never null, unlike {@link Throwable#getMessage}. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
