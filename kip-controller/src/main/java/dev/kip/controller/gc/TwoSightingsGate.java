package dev.kip.controller.gc;

import java.util.Optional;

/** G4: unclaimed in two lists at least, further apart than the cloud may take to show what it has done. */
final class TwoSightingsGate implements Gate {

    private static final int LISTS = 2;

    @Override
    public String name() {
        return "G4";
    }

    @Override
    public String why() {
        return "A launch that is just being recorded looks like a leftover for a moment; a clock of another machine, such as"
                + " the launch time, may be wrong by any amount.";
    }

    @Override
    public Stage stage() {
        return Stage.SIGHT;
    }

    @Override
    public Optional<String> objection(Evidence evidence) {
        Evidence.Sighting sighting = evidence.sighting();
        boolean longEnough =
                sighting.lists() >= LISTS && sighting.unclaimedFor().compareTo(evidence.window()) >= 0;
        return longEnough
                ? Optional.empty()
                : Optional.of("it has been seen unclaimed in " + sighting.lists() + " lists over "
                        + sighting.unclaimedFor().toSeconds() + " s; wanted: " + LISTS + " lists over "
                        + evidence.window().toSeconds() + " s");
    }
}
