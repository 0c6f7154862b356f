package dev.kip.sim.scenario;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Pods in one word. */
public final class PodStates {

    private PodStates() {}

    /** A pod's state in one word: {@code Ready}, its phase, or {@code Terminating}. */
    public static String of(ObjectNode pod) {
        if (pod.path("metadata").has("deletionTimestamp")) {
            return "Terminating";
        }
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asString("").equals("Ready")
                    && condition.path("status").asString("").equals("True")) {
                return "Ready";
            }
        }
        return pod.path("status").path("phase").asString("Pending");
    }
}
