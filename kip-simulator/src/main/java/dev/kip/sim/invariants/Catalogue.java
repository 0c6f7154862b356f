package dev.kip.sim.invariants;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.kernel.SimNetwork;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import tools.jackson.databind.node.ObjectNode;

/** All invariants of a world, told of everything that happens in it. */
public final class Catalogue implements SimNetwork.Observer {

    private final ImmutableList<Invariant> all;
    private final Eyes eyes;
    private final Set<String> known = new LinkedHashSet<>();
    private Optional<Eyes.Sender> launching = Optional.empty();

    /** The cluster in which each shard was led last. */
    private final Map<String, String> leadsIn = new LinkedHashMap<>();

    /**
     * @param collectionBudget {@code gc.maxCount} of this world
     * @param violated hears of the invariant's name and of what broke it
     */
    public Catalogue(Eyes eyes, int collectionBudget, BiConsumer<String, String> violated) {
        this.eyes = eyes;
        this.all = ImmutableList.<Invariant>builder()
                .add(new OneCellPerAttempt(eyes))
                .add(new NoWrongKill(eyes))
                .add(new NoHastyCollection(eyes))
                .add(new OldEpochsAreOver(eyes))
                .add(new NoRestart(eyes))
                .add(new OneOfTwoClones(eyes))
                .add(new CollectionWithinBudget(eyes, collectionBudget))
                .add(new LaunchesPerAttempt(eyes))
                .add(new PhasesMoveForward())
                .addAll(CellRules.all(eyes))
                .addAll(PodRules.all(eyes))
                .addAll(ConductRules.all(eyes))
                .addAll(RestRules.all(eyes))
                .build();
        all.forEach(one -> one.reportTo(text -> violated.accept(one.name(), text)));
    }

    public ImmutableList<Invariant> all() {
        return all;
    }

    public void look() {
        launching.ifPresent(this::births);
        launching = Optional.empty();
        for (int i = 0; i < all.size(); i++) { // after every event: no iterator
            all.get(i).look();
        }
    }

    private void births(Eyes.Sender sender) {
        for (SimEc2.Sight instance : eyes.instances()) {
            if (known.add(instance.id()) && eyes.isCell(instance)) {
                all.forEach(one -> one.born(sender, instance));
            }
        }
    }

    @Override
    public void sent(Call call, Fate fate) {
        if (call.to().equals("ec2")
                && (call.action().equals("RunInstances") || call.action().equals("CreateFleet"))) {
            launching = eyes.sender(call.from());
        }
        all.forEach(one -> one.sent(call, fate));
    }

    public void leads(Eyes.Sender sender) {
        String before = Optional.ofNullable(leadsIn.put(sender.shard(), sender.cluster()))
                .orElse(sender.cluster());
        if (!before.equals(sender.cluster())) {
            all.forEach(one -> one.leadsElsewhere(sender.shard()));
        }
        all.forEach(one -> one.leads(sender));
    }

    /** All that the anchor knew is gone. */
    public void anchorLost() {
        all.forEach(Invariant::anchorLost);
    }

    /** Someone has deleted a Lease by hand. */
    public void clockSetAsleep(String process, Duration wakes) {
        all.forEach(one -> one.clockSetAsleep(process, wakes));
    }

    public void leaseDeleted(String cluster) {
        all.forEach(one -> one.leaseDeleted(cluster));
    }

    /** Someone else has launched instances. */
    public void strangersCame() {
        all.forEach(Invariant::strangersCame);
    }

    /** Garbage collection has ended the instance. */
    public void collected(Eyes.Sender sender, String instanceId) {
        all.forEach(one -> one.collected(sender, instanceId));
    }

    /** @param event {@code ADDED}, {@code MODIFIED} or {@code DELETED} */
    public void changed(String cluster, String event, String kind, ObjectNode object) {
        all.forEach(one -> one.changed(cluster, event, kind, object));
    }

    /** The cluster is no more. */
    public void destroyed(String cluster) {
        all.forEach(one -> one.destroyed(cluster));
    }

    /** The cluster's store is another one from now on. */
    public void replaced(String cluster) {
        all.forEach(one -> one.replaced(cluster));
    }
}
