package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;

/**
 * The cell is of no more use. First the instance ends, then the Cell object goes: what must still be ended is on record
 * until it is.
 *
 * @param tryAgain no container ever started: the pod gets another cell
 * @param terminated EC2 has accepted that the instance ends
 * @param since when it began
 */
record Leaving(Binding binding, boolean tryAgain, boolean terminated, long since) implements CellPhase {

    @Override
    public ImmutableList<Intent> next(CellFacts cell, Policy policy, long now) {
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
                : new Intent.TerminateInstance(binding.instanceId());
        return removable ? ImmutableList.of(cell.removePod(), next) : ImmutableList.of(next);
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
