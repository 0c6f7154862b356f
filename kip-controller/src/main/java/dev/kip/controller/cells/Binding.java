package dev.kip.controller.cells;

import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;

/**
 * A pod attempt and its instance, as the Cell object has them.
 *
 * @param objectUid of the Cell object
 * @param recorded whether the object is there
 */
public record Binding(String name, String objectUid, CellStatus status, boolean recorded) {

    public static Binding of(Cell cell) {
        return new Binding(cell.metadata().name(), cell.metadata().uid(), cell.status(), true);
    }

    public String instanceId() {
        return status.instanceID();
    }

    /** This very object, not a later one of the same name. */
    boolean is(String otherName, String uid) {
        return name.equals(otherName) && objectUid.equals(uid);
    }

    /**
     * What is known after the API server told of {@code told}. What an object binds never changes: one that says otherwise
     * was edited by somebody, and a running pod must not pay for it.
     */
    Binding after(Binding told) {
        return told.is(name, objectUid) ? this : told;
    }

    Binding unrecorded() {
        return new Binding(name, "", status, false);
    }
}
