package dev.kip.bundle;

/**
 * What of a pod cannot be carried as it is.
 *
 * @param field the path of the field, for example {@code spec.volumes[1].persistentVolumeClaim}
 * @param message for the pod's owner: what was found and why it cannot be had
 */
public record Refusal(Kind kind, String field, String message) {

    /** What follows from it. */
    public enum Kind {
        /** The pod cannot be carried at all. */
        REFUSED,
        /** The pod waits until the object exists. */
        MISSING,
        /** The pod runs without it; say so once. */
        NOT_YET,
        /** The pod runs with it, but it may not do what the pod's owner expects. */
        NOTE;

        public boolean stopsThePod() {
            return this == REFUSED || this == MISSING;
        }
    }
}
