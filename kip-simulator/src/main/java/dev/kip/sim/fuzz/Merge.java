package dev.kip.sim.fuzz;

import dev.kip.sim.fuzz.Campaign.Failed;
import dev.kip.sim.fuzz.Campaign.Plan;
import dev.kip.sim.fuzz.Campaign.Saved;
import dev.kip.sim.replay.Failures;
import dev.kip.sim.replay.Replay;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.util.Optional;

/** The results of several campaigns as one. */
public final class Merge {

    private final Campaign whole = new Campaign(new Plan("merged", Optional.empty(), 0, 0, 1));
    private int parts;

    /**
     * Adds the campaigns of a file or a log.
     *
     * @param from its name, for messages
     * @throws IOException if there is none, or one is broken off
     */
    public void add(Iterable<String> lines, String from) throws IOException {
        int before = parts;
        for (Saved saved : CampaignFile.read(lines, from)) {
            whole.add(saved);
            parts++;
        }
        if (parts == before) {
            throw new IOException(
                    from + ": holds no result of a campaign; give files of --campaign, or logs of fuzz -o json");
        }
    }

    /** How many were merged. */
    public int parts() {
        return parts;
    }

    public Campaign whole() {
        return whole;
    }

    /** Writes a replay file for each way of failing. */
    public void keep(Failures folder) throws YamlProblem {
        for (Failed failed : whole.save().failures()) {
            folder.keep(Replay.read(failed.signature().slug() + ".yaml", failed.replay()));
        }
    }
}
