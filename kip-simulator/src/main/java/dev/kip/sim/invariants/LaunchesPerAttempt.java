package dev.kip.sim.invariants;

import com.google.common.base.Splitter;
import dev.kip.controller.launch.Tags;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** I9. */
final class LaunchesPerAttempt extends Invariant {

    private final Eyes eyes;
    private final Map<String, Set<String>> attemptsByBatch = new LinkedHashMap<>();
    private final Map<String, String> senderByBatch = new LinkedHashMap<>();
    private final Map<String, String> batchByInstance = new LinkedHashMap<>();
    private final Set<String> openBatches = new LinkedHashSet<>();
    /** Batches whose launch may have been answered to nobody. */
    private final Set<String> unknown = new LinkedHashSet<>();

    /** Instances that a controller has asked to be ended. */
    private final Set<String> ended = new LinkedHashSet<>();

    /** Instances that an untold hand has cut off from what they were for. */
    private final Set<String> lost = new LinkedHashSet<>();

    private final HandsOnCells hands;
    private boolean launching;

    LaunchesPerAttempt(Eyes eyes) {
        super(
                "I9 launches per attempt",
                "A pod attempt costs one launch, and one more for each launch whose outcome nobody could know, or whose"
                        + " every trace somebody took away: more than that is money for ghosts.");
        this.eyes = eyes;
        this.hands = new HandsOnCells(eyes);
    }

    @Override
    void changed(String cluster, String event, String kind, ObjectNode object) {
        hands.changed(cluster, event, kind, object);
        if (!kind.equals("launchbatch")) {
            return;
        }
        String name = object.at("/metadata/name").asString("");
        if (event.equals("DELETED")) {
            openBatches.remove(name);
            return;
        }
        openBatches.add(name);
        Set<String> attempts = attemptsByBatch.computeIfAbsent(name, any -> new LinkedHashSet<>());
        for (JsonNode pod : object.at("/spec/pods")) {
            attempts.add(
                    pod.path("uid").asString("") + " " + pod.path("attempt").asInt(0));
        }
    }

    @Override
    void leads(Eyes.Sender sender) {
        // Whatever is open now was left by another turn: its outcome is unknown to the new one.
        unknown.addAll(openBatches);
        hands.leads(sender);
        for (SimEc2.Sight instance : eyes.instances()) {
            String batch = batchByInstance.getOrDefault(instance.id(), "");
            boolean tagged = instance.tags().getOrDefault(Tags.BATCH, "").equals(batch)
                    || instance.tags().getOrDefault(Tags.INSTALLATION, "").equals(senderByBatch.get(batch));
            if (!batch.isEmpty() && (hands.untied(instance, tagged) || endedByAnother(instance))) {
                lost.add(instance.id());
            }
        }
    }

    /** And its Cell is removed by now: who comes later does not know how many were tried before. */
    private boolean endedByAnother(SimEc2.Sight instance) {
        boolean over =
                instance.state().equals("shutting-down") || instance.state().equals("terminated");
        return over && !ended.contains(instance.id()) && !Pods.isBound(eyes, instance.id());
    }

    @Override
    void destroyed(String cluster) {
        hands.destroyed(cluster);
        unknown.addAll(openBatches);
    }

    @Override
    void replaced(String cluster) {
        unknown.addAll(attemptsByBatch.keySet());
    }

    @Override
    void sent(Call call, Fate fate) {
        hands.sent(call, fate);
        if (call.to().equals("ec2")
                && call.action().equals("TerminateInstances")
                && eyes.sender(call.from()).isPresent()) {
            for (String part : Splitter.on(' ').omitEmptyStrings().split(call.target())) {
                ended.add(part.substring(part.indexOf('=') + 1));
            }
        }
        if (call.to().equals("ec2") && call.action().equals("RunInstances")) {
            launching = true;
            if (fate != Fate.ARRIVES) {
                unknown.addAll(openBatches);
            }
        }
    }

    @Override
    void look() {
        if (!launching) {
            return;
        }
        launching = false;
        for (SimEc2.Sight instance : eyes.instances()) {
            String batch = instance.tags().getOrDefault(Tags.BATCH, "");
            if (!batch.isEmpty() && eyes.isCell(instance)) {
                batchByInstance.putIfAbsent(instance.id(), batch);
                senderByBatch.putIfAbsent(batch, instance.tags().getOrDefault(Tags.INSTALLATION, ""));
            }
        }
        Set<String> attempts = new LinkedHashSet<>();
        int created = 0;
        int allowed = lost.size();
        for (String batch : batchByInstance.values()) {
            if (attemptsByBatch.containsKey(batch)) {
                created++;
                attempts.addAll(attemptsByBatch.get(batch));
                allowed += unknown.contains(batch) ? 1 : 0;
            } else if (senderByBatch.containsKey(batch) && !unknown.contains(batch)) {
                violate("a launch of batch " + batch + " without a LaunchBatch written ahead of it");
                unknown.add(batch);
            }
        }
        if (created > attempts.size() + allowed) {
            violate(created + " instances for " + attempts.size() + " pod attempts, and " + allowed
                    + " from launches whose outcome was unknown or whose traces were taken away");
        }
    }
}
