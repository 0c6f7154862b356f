package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;

/**
 * The gates that an instance must pass before it is ended, in the order in which they are asked. The controller is handed
 * its gates when it is made: no configuration and no flag reaches them, and production hands in {@link #standard} only.
 */
public record Gates(ImmutableList<Gate> all) {

    /** All seven. */
    public static Gates standard() {
        return new Gates(ImmutableList.of(
                new ProofGate(),
                new OrderGate(),
                new WholeListsGate(),
                new TwoSightingsGate(),
                new EpochGate(),
                new BudgetGate(),
                new LastLookGate()));
    }

    /** @param gate that objects */
    record Objection(Gate gate, String why) {

        @Override
        public String toString() {
            return gate.name() + ": " + why;
        }
    }

    /** What the gates of this stage have against it; empty if all let it through. */
    ImmutableList<Objection> objections(Gate.Stage stage, Evidence evidence) {
        return all.stream()
                .filter(gate -> gate.stage() == stage)
                .flatMap(gate -> gate.objection(evidence).map(why -> new Objection(gate, why)).stream())
                .collect(ImmutableList.toImmutableList());
    }

    boolean needs(Gate.Reading reading) {
        return all.stream().anyMatch(gate -> gate.needs().contains(reading));
    }

    /** Names, for the audit record. */
    ImmutableList<String> names() {
        return all.stream().map(Gate::name).collect(ImmutableList.toImmutableList());
    }
}
