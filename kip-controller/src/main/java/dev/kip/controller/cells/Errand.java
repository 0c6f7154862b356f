package dev.kip.controller.cells;

/** What can be under way for one pod, each at most once at a time. */
public enum Errand {
    /** An instance is asked for. */
    LAUNCH(1),
    /** The status that says why there is none is written. */
    EXPLAIN(2),
    /** The Cell object is written. */
    BIND(4),
    /** The cell is asked for news. */
    WATCH(8),
    /** The pod is handed to the cell. */
    GRANT(16),
    /** The pod is ended on the cell. */
    END(32),
    /** The pod's status is written. */
    STATUS(64),
    REMOVE_POD(128),
    TERMINATE(256),
    REMOVE_CELL(512);

    private final int bit;

    Errand(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}
