package dev.kip.sim.invariants;

import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** I5. */
final class NoRestart extends Invariant {

    private static final String END = "POST /v1/pod/end";
    private static final String PLAYED = "sim.kip.elotl.co/";

    private final Eyes eyes;
    private final Map<String, GroundTruth.Run> firstRuns = new LinkedHashMap<>();
    private final Set<String> endByThemselves = new LinkedHashSet<>();
    private int seen;

    NoRestart(Eyes eyes) {
        super(
                "I5 no restart",
                "A controller that crashed, moved or was made anew neither ends nor restarts a pod: its containers run"
                        + " on, on the same instance.");
        this.eyes = eyes;
    }

    @Override
    void changed(String cluster, String event, String kind, ObjectNode object) {
        if (kind.equals("pod")
                && object.at("/metadata/annotations").properties().stream()
                        .anyMatch(entry -> entry.getKey().startsWith(PLAYED))) {
            endByThemselves.add(object.at("/metadata/uid").asString(""));
        }
    }

    /** Pods of a store that went back may run for a second time: their instances may be gone. */
    @Override
    void replaced(String cluster) {
        firstRuns.clear();
    }

    @Override
    void leadsElsewhere(String shard) {
        firstRuns.clear();
    }

    @Override
    void sent(Call call, Fate fate) {
        Optional<Eyes.Sender> sender = eyes.sender(call.from());
        if (fate != Fate.ARRIVES || !call.action().equals(END) || sender.isEmpty()) {
            return;
        }
        String instance = call.to().substring(call.to().indexOf('/') + 1);
        for (GroundTruth.Run run : eyes.truth().running()) {
            if (run.instanceId().equals(instance)
                    && Pods.lives(eyes, sender.get().cluster(), run.podUid())) {
                violate(call.from() + " tells " + instance + " to end pod " + run.podUid() + ", which lives");
                return;
            }
        }
    }

    @Override
    void look() {
        int count = eyes.truth().startCount();
        if (count == seen) {
            return;
        }
        for (GroundTruth.Run run : eyes.truth().startsFrom(seen)) {
            GroundTruth.Run first = firstRuns.putIfAbsent(run.podUid() + "/" + run.container(), run);
            if (first != null
                    && !eyes.truth().isUntraceable(first.instanceId())
                    && !endByThemselves.contains(run.podUid())
                    && !rebooted(first, run)) {
                violate(run.container() + " of pod " + run.podUid() + " starts again, on " + run.instanceId()
                        + " as attempt " + run.attempt() + "; it started on " + first.instanceId() + " as attempt "
                        + first.attempt());
            }
        }
        seen = count;
    }

    private boolean rebooted(GroundTruth.Run first, GroundTruth.Run again) {
        return first.instanceId().equals(again.instanceId()) && eyes.truth().hasLostPower(again.instanceId());
    }
}
