package dev.kip.checkpointer.sanitise;

/**
 * What became of a field.
 *
 * @param path of the field, for example {@code spec.volumes[1].persistentVolumeClaim}
 * @param reason for people: why, never with a secret's content
 */
public record Finding(Action action, String path, String reason) {

    /** What was done. */
    public enum Action {
        DROPPED,
        REWRITTEN,
        /** Carried, but it may not do what the pod's owner expects. */
        WARNED,
        /** What it refers to was not found: no checkpoint until it is. */
        MISSING,
        /** Cannot be checkpointed at all. */
        REFUSED;

        public boolean stopsThePod() {
            return this == MISSING || this == REFUSED;
        }
    }
}
