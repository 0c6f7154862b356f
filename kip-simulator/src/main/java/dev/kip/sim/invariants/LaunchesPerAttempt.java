package dev.kip.sim.invariants;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.launch.Tags;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** I9. */
final class LaunchesPerAttempt extends Invariant {

    /** Until then EC2's lists may lack what was launched. */
    private static final Duration SHOWN = Duration.ofSeconds(3);

    /** By these a controller knows what was launched for its node. */
    private static final ImmutableList<String> PROOF = ImmutableList.of(Tags.INSTALLATION, Tags.MAC, Tags.NODE);

    private final Eyes eyes;
    private final Map<String, Set<String>> attemptsByBatch = new LinkedHashMap<>();
    private final Map<String, String> senderByBatch = new LinkedHashMap<>();
    private final Map<String, Birth> births = new LinkedHashMap<>();

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

    /** The tags with which it was launched, and when. */
    private record Birth(Map<String, String> tags, Duration at) {
        static final Birth UNSEEN = new Birth(ImmutableMap.of(), Duration.ZERO);
    }

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
            boolean traceless = hands.untied(instance, tagged) && !proves(instance);
            if (!batch.isEmpty() && (traceless || endedByAnother(instance))) {
                lost.add(instance.id());
            }
        }
    }

    /** Whoever asks it hears that it holds nothing, and knows by its tags that it is there for the node's pods. */
    private boolean proves(SimEc2.Sight instance) {
        Birth birth = births.getOrDefault(instance.id(), Birth.UNSEEN);
        return eyes.elapsed().minus(birth.at()).compareTo(SHOWN) > 0
                && PROOF.stream()
                        .allMatch(tag -> birth.tags()
                                .getOrDefault(tag, "")
                                .equals(instance.tags().getOrDefault(tag, "")));
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
    void leadsElsewhere(String shard) {
        unknown.addAll(attemptsByBatch.keySet());
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
                births.putIfAbsent(instance.id(), new Birth(instance.tags(), eyes.elapsed()));
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
