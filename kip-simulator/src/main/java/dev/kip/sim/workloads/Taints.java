package dev.kip.sim.workloads;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Taints of nodes and what pods tolerate. */
final class Taints {

    static final String NOT_READY = "node.kubernetes.io/not-ready";
    static final String UNREACHABLE = "node.kubernetes.io/unreachable";
    static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

    static final ImmutableSet<String> SCHEDULING = ImmutableSet.of("NoSchedule", "NoExecute");
    static final ImmutableSet<String> EXECUTION = ImmutableSet.of("NoExecute");

    private Taints() {}

    /** The first taint of these effects that keeps the pod away. */
    static Optional<JsonNode> untolerated(JsonNode node, JsonNode tolerations, ImmutableSet<String> effects) {
        for (JsonNode taint : node.path("spec").path("taints")) {
            if (effects.contains(taint.path("effect").asString("")) && !tolerated(tolerations, taint)) {
                return Optional.of(taint);
            }
        }
        return Optional.empty();
    }

    static boolean tolerated(JsonNode tolerations, JsonNode taint) {
        for (JsonNode toleration : tolerations) {
            if (tolerates(toleration, taint)) {
                return true;
            }
        }
        return false;
    }

    static boolean tolerates(JsonNode toleration, JsonNode taint) {
        String effect = toleration.path("effect").asString("");
        String key = toleration.path("key").asString("");
        if ((!effect.isEmpty() && !effect.equals(taint.path("effect").asString("")))
                || (!key.isEmpty() && !key.equals(taint.path("key").asString("")))) {
            return false;
        }
        if (toleration.path("operator").asString("").equals("Exists")) {
            return true;
        }
        return !key.isEmpty()
                && toleration
                        .path("value")
                        .asString("")
                        .equals(taint.path("value").asString(""));
    }
}
