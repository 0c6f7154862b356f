package dev.kip.sim.invariants;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.launch.Tags;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** I2. */
final class NoWrongKill extends Invariant {

    private final Eyes eyes;
    /** The tags with which each instance was launched: nobody can edit these afterwards. */
    private final Map<String, Map<String, String>> born = new LinkedHashMap<>();

    private final HandsOnCells hands;
    private boolean launching;

    NoWrongKill(Eyes eyes) {
        super(
                "I2 no wrong kill",
                "An instance that is not provably ours, or that runs a pod that still exists, is someone's work: ending"
                        + " it cannot be undone.");
        this.eyes = eyes;
        this.hands = new HandsOnCells(eyes);
    }

    @Override
    void leads(Eyes.Sender sender) {
        hands.leads(sender);
    }

    @Override
    void changed(String cluster, String event, String kind, ObjectNode object) {
        hands.changed(cluster, event, kind, object);
    }

    @Override
    void look() {
        if (launching) {
            launching = false;
            remember();
        }
    }

    @Override
    void sent(Call call, Fate fate) {
        hands.sent(call, fate);
        launching |= call.to().equals("ec2") && call.action().equals("RunInstances");
        if (!call.to().equals("ec2")
                || !call.action().equals("TerminateInstances")
                || fate == Fate.SILENCE
                || fate == Fate.REQUEST_LOST
                || fate == Fate.SENDER_DIES_BEFORE) {
            return;
        }
        Optional<Eyes.Sender> sender = eyes.sender(call.from());
        if (sender.isEmpty()) {
            return;
        }
        remember();
        for (String part : Splitter.on(' ').omitEmptyStrings().split(call.target())) {
            if (part.startsWith("InstanceId.")) {
                String id = part.substring(part.indexOf('=') + 1);
                eyes.instances().stream()
                        .filter(instance -> instance.id().equals(id))
                        .findFirst()
                        .ifPresent(instance -> judge(sender.get(), instance));
            }
        }
    }

    @Override
    void strangersCame() {
        remember();
    }

    private void remember() {
        eyes.instances().forEach(instance -> born.putIfAbsent(instance.id(), instance.tags()));
    }

    private void judge(Eyes.Sender killer, SimEc2.Sight instance) {
        if (instance.state().equals("terminated") || instance.state().equals("shutting-down")) {
            return;
        }
        Map<String, String> atBirth = born.getOrDefault(instance.id(), ImmutableMap.of());
        String owner = atBirth.getOrDefault(Tags.INSTALLATION, "");
        String text = killer.process() + " ends " + instance.id();
        if (!owner.equals(killer.installation())) {
            violate(text + ", which belongs to " + (owner.isEmpty() ? "nobody" : "installation " + owner)
                    + "; its own is " + killer.installation());
            return;
        }
        for (String part : new String[] {Tags.INSTALLATION, Tags.MAC}) {
            if (!atBirth.getOrDefault(part, "").equals(instance.tags().getOrDefault(part, ""))
                    && !Pods.isBound(eyes, instance.id())
                    && !hands.remembers(killer, instance.id())) {
                violate(text + ", whose tag " + part
                        + " was edited: the proof does not hold, and no Cell names it or did while it leads");
                return;
            }
        }
        for (GroundTruth.Run run : eyes.truth().running()) {
            if (run.instanceId().equals(instance.id()) && Pods.lives(eyes, killer.cluster(), run.podUid())) {
                violate(text + ", where " + run.container() + " of pod " + run.podUid()
                        + " runs, and the pod still exists");
                return;
            }
        }
    }
}
