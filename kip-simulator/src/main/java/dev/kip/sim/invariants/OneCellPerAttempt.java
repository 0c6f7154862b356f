package dev.kip.sim.invariants;

import dev.kip.controller.launch.Tags;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;

/** I1. */
final class OneCellPerAttempt extends Invariant {

    private final Eyes eyes;
    private final GroundTruth truth;
    private final Births births;
    private int seen;

    OneCellPerAttempt(Eyes eyes) {
        super(
                "I1 one cell per pod attempt",
                "Two cells that run the same pod write the same data twice: no restart heals that.");
        this.eyes = eyes;
        this.truth = eyes.truth();
        this.births = new Births(eyes);
    }

    /** What no tag says to be the installation's any more, and no Cell names, cannot be found by who comes to lead now. */
    @Override
    void leads(Eyes.Sender sender) {
        for (SimEc2.Sight instance : eyes.instances()) {
            if (births.tag(instance, Tags.INSTALLATION).equals(sender.installation())
                    && births.edited(instance, Tags.INSTALLATION)
                    && !Pods.isBound(eyes, instance.id())) {
                truth.untraceable(instance.id());
            }
        }
    }

    @Override
    void sent(Call call, Fate fate) {
        births.sent(call);
    }

    @Override
    void look() {
        births.look();
        int found = truth.violationCount();
        if (found > seen) {
            truth.violations().subList(seen, found).forEach(this::violate);
            seen = found;
        }
    }
}
