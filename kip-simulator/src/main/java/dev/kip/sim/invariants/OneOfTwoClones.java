package dev.kip.sim.invariants;

import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** I6. */
final class OneOfTwoClones extends Invariant {

    private final Eyes eyes;
    private final Map<String, Eyes.Sender> last = new LinkedHashMap<>();
    private final Set<String> destroyed = new LinkedHashSet<>();

    OneOfTwoClones(Eyes eyes) {
        super(
                "I6 one of two clones",
                "Of two clusters with one installation's record, one at most mutates: they do not see each other's"
                        + " objects, so only the anchor can tell them apart.");
        this.eyes = eyes;
    }

    @Override
    void leads(Eyes.Sender sender) {
        destroyed.remove(sender.cluster());
    }

    @Override
    void destroyed(String cluster) {
        destroyed.add(cluster);
    }

    /** What a cluster that is no more has done is written down nowhere now. */
    @Override
    void anchorLost() {
        last.values().removeIf(sender -> destroyed.contains(sender.cluster()));
    }

    @Override
    void sent(Call call, Fate fate) {
        if (!call.mutating() || !(call.to().equals("ec2") || call.to().startsWith("cell/"))) {
            return;
        }
        eyes.sender(call.from()).ifPresent(sender -> {
            Eyes.Sender before = last.get(sender.shard());
            if (before != null && !before.cluster().equals(sender.cluster()) && sender.epoch() <= before.epoch()) {
                violate(call.from() + " sends " + call.action() + " to " + call.to() + " with epoch " + sender.epoch()
                        + ", after " + before.process() + " of another cluster mutated with " + before.epoch());
            }
            last.put(sender.shard(), sender);
        });
    }
}
