package dev.kip.sim.apiserver.patch;

/** A patch that cannot be applied. */
public final class PatchFailed extends RuntimeException {

    /** Whose fault it is, which decides the answer. */
    public enum Fault {
        /** It is no patch at all, whatever the object. */
        MALFORMED,
        /** It is one, but does not fit this object. */
        INAPPLICABLE,
        /** An element of a merged list lacks its key; the real server has no proper answer to this. */
        KEYLESS
    }

    private final Fault fault;

    private PatchFailed(String message, Fault fault) {
        super(message, null, false, false);
        this.fault = fault;
    }

    static PatchFailed malformed(String message) {
        return new PatchFailed(message, Fault.MALFORMED);
    }

    static PatchFailed inapplicable(String message) {
        return new PatchFailed(message, Fault.INAPPLICABLE);
    }

    static PatchFailed keyless(String message) {
        return new PatchFailed(message, Fault.KEYLESS);
    }

    public Fault fault() {
        return fault;
    }

    /** Never null, unlike {@link Throwable#getMessage}. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
