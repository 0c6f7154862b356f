package dev.kip.sim.invariants;

import dev.kip.sim.cell.GroundTruth;

/** I1. */
final class OneCellPerAttempt extends Invariant {

    private final GroundTruth truth;
    private int seen;

    OneCellPerAttempt(GroundTruth truth) {
        super(
                "I1 one cell per pod attempt",
                "Two cells that run the same pod write the same data twice: no restart heals that.");
        this.truth = truth;
    }

    @Override
    void look() {
        int found = truth.violationCount();
        if (found > seen) {
            truth.violations().subList(seen, found).forEach(this::violate);
            seen = found;
        }
    }
}
