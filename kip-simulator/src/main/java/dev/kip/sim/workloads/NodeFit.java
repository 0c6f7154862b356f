package dev.kip.sim.workloads;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Whether a pod may and can run on a node, and how much room it leaves there. */
final class NodeFit {

    private static final JsonNode NOT_READY_TAINT =
            Objects.JSON.objectNode().put("key", Taints.NOT_READY).put("effect", "NoSchedule");

    private NodeFit() {}

    /**
     * Why the pod does not go there, in the scheduler's words; empty if it does.
     *
     * @param used what the pods on the node take
     */
    static Optional<String> obstacle(ObjectNode pod, Resources wanted, ObjectNode node, Resources used) {
        JsonNode tolerations = pod.path("spec").path("tolerations");
        if (node.path("spec").path("unschedulable").asBoolean(false) && !toleratesCordon(tolerations)) {
            return Optional.of("node(s) were unschedulable");
        }
        Optional<JsonNode> taint = Taints.untolerated(node, tolerations, Taints.SCHEDULING);
        // The taint comes with the Ready condition, some moments later.
        if (taint.isEmpty()
                && !Objects.conditionStatus(node, "Ready").equals("True")
                && !Taints.tolerated(tolerations, NOT_READY_TAINT)) {
            taint = Optional.of(NOT_READY_TAINT);
        }
        if (taint.isPresent()) {
            return Optional.of(
                    "node(s) had untolerated taint {" + taint.get().path("key").asString("") + ": "
                            + taint.get().path("value").asString("") + "}");
        }
        if (!matchesAffinity(pod.path("spec"), node)) {
            return Optional.of("node(s) didn't match Pod's node affinity/selector");
        }
        return shortage(wanted, node, used);
    }

    static boolean matchesAffinity(JsonNode podSpec, JsonNode node) {
        JsonNode required =
                podSpec.path("affinity").path("nodeAffinity").path("requiredDuringSchedulingIgnoredDuringExecution");
        return Selector.hasAll(
                        podSpec.path("nodeSelector"), node.path("metadata").path("labels"))
                && (required.isMissingNode() || required.isNull() || Selector.matchesNode(required, node));
    }

    /** How full the node would be by the fuller of CPU and memory, 0 to 1; among equals count pods. */
    static BigDecimal load(ObjectNode node, Resources usedThen) {
        Resources allocatable = allocatable(node);
        BigDecimal fullest = BigDecimal.ZERO;
        for (String resource : new String[] {"cpu", "memory"}) {
            if (allocatable.get(resource).signum() > 0) {
                fullest = fullest.max(usedThen.get(resource).divide(allocatable.get(resource), MathContext.DECIMAL64));
            }
        }
        return fullest;
    }

    private static boolean toleratesCordon(JsonNode tolerations) {
        return Taints.tolerated(
                tolerations,
                Objects.JSON.objectNode().put("key", Taints.UNSCHEDULABLE).put("effect", "NoSchedule"));
    }

    private static Optional<String> shortage(Resources wanted, ObjectNode node, Resources used) {
        Resources allocatable = allocatable(node);
        for (Map.Entry<String, BigDecimal> want : wanted.amounts().entrySet()) {
            if (want.getValue().signum() > 0
                    && used.get(want.getKey()).add(want.getValue()).compareTo(allocatable.get(want.getKey())) > 0) {
                return Optional.of(want.getKey().equals("pods") ? "Too many pods" : "Insufficient " + want.getKey());
            }
        }
        return Optional.empty();
    }

    private static Resources allocatable(ObjectNode node) {
        JsonNode status = node.path("status");
        return Resources.of(status.has("allocatable") ? status.path("allocatable") : status.path("capacity"));
    }
}
