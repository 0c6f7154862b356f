package dev.kip.sim.fuzz;

import dev.kip.sim.replay.Replay;
import dev.kip.sim.scenario.Outcomes;
import java.util.SortedSet;

/** A story that a campaign has told. */
public record Told(Campaign.Job job, Replay replay, Outcomes outcomes, CoverageSets coverage) {

    /** Where it has been, as hashes. */
    record CoverageSets(SortedSet<Long> states, SortedSet<Long> pairs) {}
}
