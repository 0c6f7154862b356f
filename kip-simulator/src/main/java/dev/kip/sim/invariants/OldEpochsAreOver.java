package dev.kip.sim.invariants;

import dev.kip.controller.launch.Tags;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** I4. */
final class OldEpochsAreOver extends Invariant {

    /** Whoever leads hears within this time that somebody has taken the Lease away, by which another may lead at once. */
    private static final Duration HEARD = Duration.ofSeconds(10);

    private final Eyes eyes;
    private final Map<String, Newest> newest = new LinkedHashMap<>();

    /** What a process decides before it hears what happened while it slept is under way by then. Who launches ends nothing. */
    private static final Duration UNDER_WAY = Duration.ofSeconds(1);

    /** When the sleep ends in which somebody set a process's clock. */
    private final Map<String, Duration> wakes = new LinkedHashMap<>();

    /** When somebody last deleted a Lease, by cluster. */
    private final Map<String, Duration> leaseTaken = new LinkedHashMap<>();

    /**
     * @param recorded its cluster still has the record that tells of it, as far as nobody has taken it away
     * @param anchored the anchor still tells of it
     */
    private record Newest(long epoch, String holder, String cluster, boolean recorded, boolean anchored) {

        Newest forgotten(String inCluster) {
            return inCluster.equals(cluster) ? new Newest(epoch, holder, cluster, false, anchored) : this;
        }

        Newest unanchored() {
            return new Newest(epoch, holder, cluster, recorded, false);
        }
    }

    OldEpochsAreOver(Eyes eyes) {
        super(
                "I4 old epochs are over",
                "Once a newer epoch is written down, an incarnation of an older one changes nothing more in the cloud or on"
                        + " a cell. Only who leads as somebody deletes the Lease needs some seconds to hear of it, and who sleeps while somebody"
                        + " sets its clock may launch, but not end, anything for a second after it wakes.");
        this.eyes = eyes;
    }

    @Override
    void leads(Eyes.Sender sender) {
        if (sender.installation().isEmpty()) {
            return; // no record says who leads of what
        }
        Newest known = newest.get(sender.shard());
        if (known == null || sender.epoch() > known.epoch() || forgotten(known, sender)) {
            newest.put(sender.shard(), new Newest(sender.epoch(), sender.process(), sender.cluster(), true, true));
        } else if (!known.holder().equals(sender.process()) || sender.epoch() < known.epoch()) {
            violate(sender.process() + " leads with epoch " + sender.epoch() + ", but " + known.holder() + " had "
                    + known.epoch() + " before");
        }
    }

    /** Record and anchor were both taken away, and nothing that it has launched tells of it either. */
    private boolean forgotten(Newest known, Eyes.Sender next) {
        return !known.recorded()
                && !known.anchored()
                && eyes.instances().stream()
                        .filter(instance -> instance.tags()
                                .getOrDefault(Tags.INSTALLATION, "")
                                .equals(next.installation()))
                        .noneMatch(instance ->
                                instance.tags().getOrDefault(Tags.EPOCH, "").equals(Long.toString(known.epoch())));
    }

    @Override
    void anchorLost() {
        newest.replaceAll((shard, known) -> known.unanchored());
    }

    @Override
    void destroyed(String cluster) {
        newest.replaceAll((shard, known) -> known.forgotten(cluster));
    }

    @Override
    void replaced(String cluster) {
        newest.replaceAll((shard, known) -> recorded(cluster, known.epoch()) ? known : known.forgotten(cluster));
    }

    private boolean recorded(String cluster, long epoch) {
        return eyes.objects(cluster, "installation").stream()
                .anyMatch(record -> record.at("/spec/epoch").asLong(0) >= epoch);
    }

    @Override
    void changed(String cluster, String event, String kind, ObjectNode object) {
        if (kind.equals("installation") && event.equals("DELETED")) {
            destroyed(cluster);
        }
    }

    @Override
    void leaseDeleted(String cluster) {
        leaseTaken.put(cluster, eyes.elapsed());
    }

    @Override
    void clockSetAsleep(String process, Duration end) {
        wakes.put(process, end);
    }

    private boolean justAwake(Eyes.Sender sender) {
        @Nullable Duration end = wakes.get(sender.process());
        return end != null && eyes.elapsed().minus(end).compareTo(UNDER_WAY) <= 0;
    }

    private boolean leaseJustTaken(Eyes.Sender sender) {
        @Nullable Duration taken = leaseTaken.get(sender.cluster());
        return taken != null && eyes.elapsed().minus(taken).compareTo(HEARD) <= 0;
    }

    @Override
    void sent(Call call, Fate fate) {
        if (!call.mutating() || !(call.to().equals("ec2") || call.to().startsWith("cell/"))) {
            return;
        }
        eyes.sender(call.from()).ifPresent(sender -> {
            Newest known = newest.get(sender.shard());
            if (known != null
                    && !(sender.epoch() == known.epoch() && sender.process().equals(known.holder()))
                    && !leaseJustTaken(sender)
                    && !(call.action().equals("RunInstances") && justAwake(sender))) {
                violate(call.from() + " of epoch " + sender.epoch() + " sends " + call.action() + " to " + call.to()
                        + ", but " + known.holder() + " has epoch " + known.epoch());
            }
        });
    }
}
