package dev.kip.sim.apiserver.selector;

/** A selector that cannot be understood, or that asks for a field which the kind does not index. */
public final class BadSelector extends RuntimeException {

    BadSelector(String message) {
        super(message, null, false, false);
    }

    /** Never null, unlike {@link Throwable#getMessage}. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
