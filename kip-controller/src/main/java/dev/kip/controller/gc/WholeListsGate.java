package dev.kip.controller.gc;

import java.util.Optional;

/** G3: every page of every list, without an error. */
final class WholeListsGate implements Gate {

    @Override
    public String name() {
        return "G3";
    }

    @Override
    public String why() {
        return "What is missing from half a list is not missing: a Cell on a page that failed would cost its pod the instance.";
    }

    @Override
    public Stage stage() {
        return Stage.CLAIMS;
    }

    @Override
    public Optional<String> objection(Evidence evidence) {
        return evidence.claims()
                .filter(claims -> !claims.gaps().isEmpty())
                .map(claims -> "not everything could be read: " + String.join("; ", claims.gaps()));
    }
}
