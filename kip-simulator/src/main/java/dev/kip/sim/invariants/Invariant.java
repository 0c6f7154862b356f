package dev.kip.sim.invariants;

import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/** One thing that must hold in a world with controllers. Hears of what happens. */
public abstract class Invariant extends Rule {

    Invariant(String name, String why) {
        super(name, why);
    }

    /** After every event of the world: cheap. */
    void look() {}

    /** A request is on its way; what it asks for has not been done yet. */
    void sent(Call call, Fate fate) {}

    /**
     * The next to lead the shard does so in another cluster than the last: a copy of it, which knows nothing of what the last
     * one did since they parted.
     */
    void leadsElsewhere(String shard) {}

    /** A replica leads from now on. */
    void leads(Eyes.Sender sender) {}

    /** A launch of the controller has made an instance; it carries what it was launched with. */
    void born(Eyes.Sender sender, SimEc2.Sight instance) {}

    /** Garbage collection has ended the instance. */
    void collected(Eyes.Sender sender, String instanceId) {}

    /** The wall clock of a process was set while it slept: neither of its clocks tells it, as it wakes, that it did. */
    void clockSetAsleep(String process, Duration wakes) {}

    /** Somebody has deleted a Lease of the cluster by hand. */
    void leaseDeleted(String cluster) {}

    /** All that the anchor knew is gone. */
    void anchorLost() {}

    /** Someone else has launched instances. */
    void strangersCame() {}

    /** @param event {@code ADDED}, {@code MODIFIED} or {@code DELETED} */
    void changed(String cluster, String event, String kind, ObjectNode object) {}

    /** The cluster is no more. */
    void destroyed(String cluster) {}

    /** The cluster's store is another one from now on. */
    void replaced(String cluster) {}
}
