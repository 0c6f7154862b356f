package dev.kip.sim.invariants;

import com.google.common.base.Splitter;
import dev.kip.controller.launch.Tags;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** I2. */
final class NoWrongKill extends Invariant {

    private final Eyes eyes;
    private final Births births;
    private final HandsOnCells hands;

    NoWrongKill(Eyes eyes) {
        super(
                "I2 no wrong kill",
                "An instance that is not provably ours, or that runs a pod that still exists, is someone's work: ending"
                        + " it cannot be undone.");
        this.eyes = eyes;
        this.births = new Births(eyes);
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
        births.look();
    }

    @Override
    void sent(Call call, Fate fate) {
        hands.sent(call, fate);
        births.sent(call);
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
        births.remember();
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
        births.remember();
    }

    private void judge(Eyes.Sender killer, SimEc2.Sight instance) {
        if (instance.state().equals("terminated") || instance.state().equals("shutting-down")) {
            return;
        }
        String owner = births.tag(instance, Tags.INSTALLATION);
        boolean launchedByItself = births.tag(instance, Tags.EPOCH).equals(Long.toString(killer.epoch()));
        String text = killer.process() + " ends " + instance.id();
        if (!owner.equals(killer.installation())) {
            violate(text + ", which belongs to " + (owner.isEmpty() ? "nobody" : "installation " + owner)
                    + "; its own is " + killer.installation());
            return;
        }
        for (String part : new String[] {Tags.INSTALLATION, Tags.MAC}) {
            if (births.edited(instance, part)
                    && !launchedByItself
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
