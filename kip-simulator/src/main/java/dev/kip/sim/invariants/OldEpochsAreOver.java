package dev.kip.sim.invariants;

import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** I4. */
final class OldEpochsAreOver extends Invariant {

    /** A call that was under way when the newer epoch began has arrived, or failed, by then. */
    private static final Duration IN_FLIGHT = Duration.ofSeconds(10);

    private final Eyes eyes;
    private final Map<String, Newest> newest = new LinkedHashMap<>();

    private record Newest(long epoch, String holder, Duration since) {}

    OldEpochsAreOver(Eyes eyes) {
        super(
                "I4 old epochs are over",
                "Once a newer epoch is written down, an incarnation of an older one changes nothing more in the cloud or on"
                        + " a cell, the one call apart that was under way.");
        this.eyes = eyes;
    }

    @Override
    void leads(Eyes.Sender sender) {
        if (sender.installation().isEmpty()) {
            return; // no record says who leads of what
        }
        Newest known = newest.get(sender.shard());
        if (known == null || sender.epoch() > known.epoch()) {
            newest.put(sender.shard(), new Newest(sender.epoch(), sender.process(), eyes.elapsed()));
        } else if (!known.holder().equals(sender.process()) || sender.epoch() < known.epoch()) {
            violate(sender.process() + " leads with epoch " + sender.epoch() + ", but " + known.holder() + " had "
                    + known.epoch() + " before");
        }
    }

    @Override
    void sent(Call call, Fate fate) {
        if (!call.mutating() || !(call.to().equals("ec2") || call.to().startsWith("cell/"))) {
            return;
        }
        eyes.sender(call.from()).ifPresent(sender -> {
            Newest known = newest.get(sender.shard());
            if (known != null
                    && sender.epoch() < known.epoch()
                    && eyes.elapsed().minus(known.since()).compareTo(IN_FLIGHT) > 0) {
                violate(call.from() + " of epoch " + sender.epoch() + " sends " + call.action() + " to " + call.to()
                        + ", but " + known.holder() + " has epoch " + known.epoch());
            }
        });
    }
}
