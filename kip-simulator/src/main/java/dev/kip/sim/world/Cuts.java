package dev.kip.sim.world;

import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.scenario.Globs;
import java.util.ArrayList;
import java.util.List;

/** Ways of the network that are cut, in both directions. */
public final class Cuts {

    private final List<SimNetwork.Link> cuts = new ArrayList<>();

    public Cuts(SimNetwork network) {
        network.partition(link -> {
            for (SimNetwork.Link cut : cuts) {
                if ((Globs.matches(cut.from(), link.from()) && Globs.matches(cut.to(), link.to()))
                        || (Globs.matches(cut.from(), link.to()) && Globs.matches(cut.to(), link.from()))) {
                    return true;
                }
            }
            return false;
        });
    }

    public void add(String from, String to) {
        cuts.add(new SimNetwork.Link(from, to));
    }

    public void heal() {
        cuts.clear();
    }
}
