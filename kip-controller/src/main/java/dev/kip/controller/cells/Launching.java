package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.store.PodFacts;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import java.util.Optional;

/**
 * The pod is part of a launch call whose outcome is not known, or it has been given one of its instances, which becomes
 * the pod's once the Cell object says so. If the pod does not want it any more, the
 * batch ends it.
 *
 * @param batch the LaunchBatch
 */
record Launching(String batch, Optional<InstanceFacts> assigned) implements CellPhase {

    @Override
    public ImmutableList<Intent> next(CellFacts cell, Policy policy, long now) {
        if (cell.podRemovable(now)) {
            return ImmutableList.of(cell.removePod()); // nothing of it runs anywhere
        }
        if (assigned.isEmpty() || !cell.errands().free(Errand.BIND, now)) {
            return NOTHING;
        }
        if (!cell.wantsToRun()) {
            return ImmutableList.of(new Intent.Decline(batch));
        }
        CellStatus status = bindingOf(cell.pod().get(), cell.attempt(), batch, assigned.get(), policy);
        return ImmutableList.of(new Intent.BindCell(Cell.nameOf(cell.podUid(), cell.attempt()), status));
    }

    private static CellStatus bindingOf(
            PodFacts pod, int attempt, String batch, InstanceFacts instance, Policy policy) {
        return new CellStatus(
                pod.ref().name(),
                pod.ref().namespace(),
                policy.node(),
                policy.installationId(),
                instance.market() == Market.SPOT ? "Spot" : "On-Demand",
                instance.type(),
                instance.id(),
                instance.privateIp().orElse(""),
                pod.uid(),
                attempt,
                policy.epoch(),
                batch,
                instance.clientToken());
    }

    @Override
    public long due(CellFacts cell, Policy policy, long now) {
        return NEVER;
    }

    @Override
    public String name() {
        return "Launching";
    }
}
