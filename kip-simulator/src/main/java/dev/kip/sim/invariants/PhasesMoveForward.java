package dev.kip.sim.invariants;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** I14. */
final class PhasesMoveForward extends Invariant {

    private final Map<String, Map<String, String>> phases = new LinkedHashMap<>();

    PhasesMoveForward() {
        super(
                "I14 phases move forward",
                "Controllers of Jobs and ReplicaSets count a finished pod once: one that comes back is counted twice.");
    }

    @Override
    void changed(String cluster, String event, String kind, ObjectNode object) {
        if (!kind.equals("pod") || event.equals("DELETED")) {
            return;
        }
        String uid = object.at("/metadata/uid").asString("");
        String phase = object.at("/status/phase").asString("Pending");
        String before =
                phases.computeIfAbsent(cluster, any -> new LinkedHashMap<>()).put(uid, phase);
        if (before != null && (rank(phase) < rank(before) || (finished(before) && !phase.equals(before)))) {
            violate("pod " + object.at("/metadata/name").asString("") + " went from " + before + " to " + phase);
        }
    }

    /** A store that went back in time shows phases as they were. */
    @Override
    void replaced(String cluster) {
        phases.remove(cluster);
    }

    private static boolean finished(String phase) {
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private static int rank(String phase) {
        return switch (phase) {
            case "Pending" -> 0;
            case "Running" -> 1;
            default -> 2;
        };
    }
}
