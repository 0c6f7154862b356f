package dev.kip.sim.invariants;

import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Part of I2. */
final class NoHastyCollection extends Invariant {

    /** As stories configure it. */
    private static final Duration WINDOW = Duration.ofMinutes(2);

    private final Eyes eyes;
    private final Map<String, Duration> leadsSince = new LinkedHashMap<>();
    private final Map<String, Duration> launched = new LinkedHashMap<>();
    private boolean launching;

    NoHastyCollection(Eyes eyes) {
        super(
                "I2 no hasty collection",
                "What nothing claims may be claimed in a moment: it is ended only after a leader has watched it for the"
                        + " consistency window, and never while a Cell names it.");
        this.eyes = eyes;
    }

    @Override
    void leads(Eyes.Sender sender) {
        leadsSince.putIfAbsent(sender.process() + " " + sender.epoch(), eyes.elapsed());
    }

    @Override
    void sent(Call call, Fate fate) {
        launching |= call.to().equals("ec2") && call.action().equals("RunInstances");
    }

    @Override
    void look() {
        if (launching) {
            launching = false;
            eyes.instances().forEach(instance -> launched.putIfAbsent(instance.id(), eyes.elapsed()));
        }
    }

    @Override
    void collected(Eyes.Sender sender, String instanceId) {
        Duration leads = leadsSince.getOrDefault(sender.process() + " " + sender.epoch(), eyes.elapsed());
        Duration since = launched.getOrDefault(instanceId, Duration.ZERO);
        Duration watched = eyes.elapsed().minus(leads.compareTo(since) > 0 ? leads : since);
        if (watched.compareTo(WINDOW) < 0) {
            violate(sender.process() + " ended " + instanceId + " after " + watched.toSeconds()
                    + " s; the consistency window is " + WINDOW.toSeconds() + " s");
        }
        if (Pods.isBound(eyes, instanceId)) {
            violate(sender.process() + " ended " + instanceId + " as garbage, and a Cell names it");
        }
    }
}
