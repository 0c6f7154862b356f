package dev.kip.sim.invariants;

import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** One thing that must hold. Hears of what happens, and tells what broke it. */
public abstract class Invariant {

    private final String name;
    private final String why;
    private Consumer<String> violated = text -> {};

    /**
     * @param name number and a few words
     * @param why it must hold, in a sentence
     */
    Invariant(String name, String why) {
        this.name = name;
        this.why = why;
    }

    public final String name() {
        return name;
    }

    public final String why() {
        return why;
    }

    final void reportTo(Consumer<String> listener) {
        violated = listener;
    }

    final void violate(String text) {
        violated.accept(text);
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
