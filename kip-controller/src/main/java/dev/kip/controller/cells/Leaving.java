package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.ObjectRef;
import java.util.Optional;

/**
 * The cell is of no more use. First the instance ends, then the Cell object goes: what must still be ended is on record
 * until it is. A pod that was missing and turns out to be there has its cell back.
 *
 * @param tryAgain no container ever started: the pod gets another cell
 * @param terminated EC2 has accepted that the instance ends
 * @param since when it began
 */
record Leaving(Binding binding, boolean tryAgain, boolean terminated, long since) implements CellPhase {

    @Override
    public ImmutableList<Intent> next(CellFacts cell, Policy policy, long now) {
        if (!terminated && !tryAgain && cell.wantsToRun()) {
            return ImmutableList.of(
                    new Intent.Become(Bound.found(binding, binding.status().ip(), cell, policy, now)));
        }
        boolean removable = cell.podRemovable(now);
        if (terminated && !binding.recorded()) {
            Intent become = new Intent.Become(Wanted.AT_ONCE);
            return removable ? ImmutableList.of(cell.removePod(), become) : ImmutableList.of(become);
        }
        boolean step = cell.errands().free(terminated ? Errand.REMOVE_CELL : Errand.TERMINATE, now);
        if (!step) {
            return removable ? ImmutableList.of(cell.removePod()) : NOTHING;
        }
        Intent next = terminated
                ? new Intent.RemoveCell(binding.name(), binding.objectUid())
                : new Intent.TerminateInstance(binding.instanceId(), absent(cell));
        return removable ? ImmutableList.of(cell.removePod(), next) : ImmutableList.of(next);
    }

    private Optional<ObjectRef> absent(CellFacts cell) {
        return cell.pod().isPresent() || binding.status().podName().isEmpty()
                ? Optional.empty()
                : Optional.of(new ObjectRef(
                        binding.status().podNamespace(), binding.status().podName()));
    }

    @Override
    public long due(CellFacts cell, Policy policy, long now) {
        return NEVER;
    }

    Leaving gone() {
        return new Leaving(binding, tryAgain, true, since);
    }

    Leaving with(Binding next) {
        return new Leaving(next, tryAgain, terminated, since);
    }

    @Override
    public String name() {
        return "Leaving";
    }
}
