package dev.kip.sim.apiserver.patch;

/** A patch that cannot be applied. */
public final class PatchFailed extends RuntimeException {

    private final boolean malformed;

    private PatchFailed(String message, boolean malformed) {
        super(message, null, false, false);
        this.malformed = malformed;
    }

    static PatchFailed malformed(String message) {
        return new PatchFailed(message, true);
    }

    static PatchFailed inapplicable(String message) {
        return new PatchFailed(message, false);
    }

    /** It is no patch at all, whatever the object; otherwise it is one, but does not fit this object. */
    public boolean isMalformed() {
        return malformed;
    }

    /** Never null, unlike {@link Throwable#getMessage}. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
