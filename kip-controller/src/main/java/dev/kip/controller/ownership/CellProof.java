package dev.kip.controller.ownership;

import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import java.util.Optional;

/**
 * Whether a Cell says the truth. It was written with the client token of its instance, which the cloud reports and nobody
 * can edit: who writes another instance into it cannot make that instance's token fit. Tags of the instance do not matter
 * here: a running pod must not pay for what somebody did to them. Pure.
 */
public final class CellProof {

    private CellProof() {}

    /** Why it is not believed though its instance is known; empty if it is. */
    public static Optional<String> doubt(Cell cell, InstanceFacts instance) {
        return unnamed(cell)
                .or(() -> cell.status().clientToken().isEmpty()
                        ? Optional.of("it has no client token")
                        : Optional.empty())
                .or(() -> cell.status().clientToken().equals(instance.clientToken())
                        ? Optional.empty()
                        : Optional.of("the client token of instance " + instance.id() + " is another than the Cell's"));
    }

    /** Why it is not believed, whatever the cloud says. */
    static Optional<String> unnamed(Cell cell) {
        CellStatus status = cell.status();
        return cell.metadata().name().equals(Cell.nameOf(status.podUID(), status.attempt()))
                ? Optional.empty()
                : Optional.of("its name is not that of its pod and attempt");
    }

    /** Why what the object says now cannot be what was bound; empty if it can. */
    static Optional<String> edited(CellStatus bound, CellStatus told) {
        return bound.instanceID().equals(told.instanceID())
                        && bound.clientToken().equals(told.clientToken())
                        && bound.attempt() == told.attempt()
                ? Optional.empty()
                : Optional.of("it binds instance " + bound.instanceID() + ", and says " + told.instanceID());
    }
}
