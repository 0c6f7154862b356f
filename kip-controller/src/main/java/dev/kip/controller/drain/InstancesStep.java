package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.ownership.Provenance;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Waits until the cells have ended with their pods and every launch call's outcome is known; then ends what else is provably
 * ours. What is not provably ours is named, and left to whoever knows.
 */
final class InstancesStep implements Step {

    private final Room room;
    private final Set<String> ending = new LinkedHashSet<>();

    InstancesStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "EndingInstances";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        int cells = room.cells().instances().size();
        if (cells > 0) {
            verdict.waiting(cells + " cells have yet to end");
            return;
        }
        int launches = room.launches().open();
        if (launches > 0) {
            verdict.waiting(launches + " launch calls may still bring instances; they are looked for");
            return;
        }
        room.cloud()
                .describeAll(
                        scope.tags(),
                        all -> judge(all, verdict),
                        error -> verdict.waiting("the instances could not be listed: " + error.message()));
    }

    private void judge(ImmutableList<InstanceFacts> all, Verdict verdict) {
        List<String> suspects = new ArrayList<>();
        int left = 0;
        for (InstanceFacts instance : all) {
            Provenance provenance = Provenance.of(instance, room.standing());
            if (instance.state() == InstanceState.TERMINATED) {
                continue;
            }
            left++;
            if (!instance.state().ended() && provenance.proven()) {
                end(instance, provenance);
            } else if (!instance.state().ended()) {
                suspects.add(instance.id() + " " + provenance.because());
            }
        }
        if (left == 0) {
            verdict.done();
        } else if (suspects.isEmpty()) {
            verdict.waiting(left + " instances are shutting down");
        } else {
            verdict.waiting(
                    "not provably ours, and so not ended; end by hand what is not needed, or take our id off it: "
                            + String.join("; ", suspects));
        }
    }

    private void end(InstanceFacts instance, Provenance provenance) {
        if (!ending.add(instance.id())) {
            return;
        }
        room.terminations().end(instance.id(), new Terminations.Ending() {
            @Override
            public void accepted() {
                ending.remove(instance.id());
                room.audit().drained(instance, provenance);
            }

            @Override
            public void unknown() {
                ending.remove(instance.id());
            }

            @Override
            public void undone() {
                ending.remove(instance.id());
            }
        });
    }
}
