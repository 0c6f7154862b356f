package dev.kip.controller.gc;

import dev.kip.controller.gc.Evidence.Allowance;
import java.util.Optional;

/** G6: not more than the budget, and not while the world looks unlikely. */
final class BudgetGate implements Gate {

    @Override
    public String name() {
        return "G6";
    }

    @Override
    public String why() {
        return "Whatever else is wrong - a bug of ours, a cluster that shows no pods, a restored backup - it must not end"
                + " everything at once.";
    }

    @Override
    public Stage stage() {
        return Stage.END;
    }

    @Override
    public Optional<String> objection(Evidence evidence) {
        return evidence.allowance().flatMap(Allowance::breaker);
    }
}
