package dev.kip.sim.invariants;

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

    private boolean launching;

    LaunchesPerAttempt(Eyes eyes) {
        super(
                "I9 launches per attempt",
                "A pod attempt costs one launch, and one more for each launch whose outcome nobody could know: more than"
                        + " that is money for ghosts.");
        this.eyes = eyes;
    }

    @Override
    void changed(String cluster, String event, String kind, ObjectNode object) {
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
    }

    @Override
    void replaced(String cluster) {
        unknown.addAll(attemptsByBatch.keySet());
    }

    @Override
    void sent(Call call, Fate fate) {
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
        int allowed = 0;
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
                    + " from launches whose outcome was unknown");
        }
    }
}
