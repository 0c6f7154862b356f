package dev.kip.checkpointer.sanitise;

/** The annotations of a checkpointed pod and of its checkpoint. */
public final class CheckpointMarks {

    /** {@code "true"} on a pod asks for a checkpoint. */
    public static final String WANTED = "checkpointer.alpha.coreos.com/checkpoint";

    /** On a checkpoint: the name of its pod. */
    public static final String OF = "checkpointer.alpha.coreos.com/checkpoint-of";

    /** On a checkpoint: the uid of its pod. */
    public static final String OF_UID = "kip.elotl.co/checkpoint-of-uid";

    private CheckpointMarks() {}
}
