package dev.kip.checkpointer.standing;

/** Where a checkpoint stands. The names are those of the pod checkpointer of bootkube. */
public enum Standing {
    /** Known, but nothing was decided yet. */
    NONE,
    /** Its parent is there, or may yet come: it rests. */
    INACTIVE,
    /** Its parent is gone from the API; it rests, and is removed if that lasts. */
    INACTIVE_GRACE,
    /** It runs in place of its parent. */
    ACTIVE,
    /** It runs, its parent is gone from the API; it is removed if that lasts. */
    ACTIVE_GRACE,
    /** The checkpointer's own: it runs beside its parent and waits for the lock. */
    SELF,
    /** It goes. */
    REMOVE;

    /** Whether kubelet is to run it. */
    public boolean runs() {
        return this == ACTIVE || this == ACTIVE_GRACE || this == SELF;
    }
}
