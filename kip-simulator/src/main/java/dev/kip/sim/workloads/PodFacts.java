package dev.kip.sim.workloads;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What controllers ask of a pod. */
final class PodFacts {

    private PodFacts() {}

    static String phase(JsonNode pod) {
        return pod.path("status").path("phase").asString("");
    }

    static String node(JsonNode pod) {
        return pod.path("spec").path("nodeName").asString("");
    }

    static boolean hasEnded(JsonNode pod) {
        return phase(pod).equals("Succeeded") || phase(pod).equals("Failed");
    }

    /** Counts for its controller: neither ended nor being deleted. */
    static boolean isActive(JsonNode pod) {
        return !hasEnded(pod) && !Objects.isLeaving(pod);
    }

    static boolean isReady(JsonNode pod) {
        return Objects.conditionStatus(pod, "Ready").equals("True");
    }

    /** When the pod will have been ready for so long; empty if it is not ready. */
    static Optional<Instant> availableAt(JsonNode pod, Duration minReady) {
        return Objects.condition(pod, "Ready")
                .filter(condition -> condition.path("status").asString("").equals("True"))
                .map(condition -> Objects.instant(condition.path("lastTransitionTime"))
                        .orElse(Instant.EPOCH)
                        .plus(minReady));
    }

    static boolean isAvailable(JsonNode pod, Duration minReady, Instant now) {
        return isReady(pod)
                && (minReady.isZero()
                        || availableAt(pod, minReady)
                                .filter(at -> !at.isAfter(now))
                                .isPresent());
    }

    private static long restarts(JsonNode pod) {
        long most = 0;
        for (JsonNode status : pod.path("status").path("containerStatuses")) {
            most = Math.max(most, status.path("restartCount").asLong(0));
        }
        return most;
    }

    private static long deletionCost(JsonNode pod) {
        try {
            return Long.parseLong(Objects.annotation(pod, "controller.kubernetes.io/pod-deletion-cost"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static int phaseRank(JsonNode pod) {
        return phase(pod).equals("Running") ? 2 : phase(pod).equals("Unknown") ? 1 : 0;
    }

    /**
     * Whom to delete first when there are too many: unassigned, pending, not ready, cheap, crowded on their node, ready
     * for less time, often restarted, newest.
     *
     * @param perNode how many pods of the same controller are on a node
     */
    static Comparator<ObjectNode> deletedFirst(Map<String, Integer> perNode) {
        return Comparator.<ObjectNode>comparingInt(pod -> node(pod).isEmpty() ? 0 : 1)
                .thenComparingInt(PodFacts::phaseRank)
                .thenComparingInt(pod -> isReady(pod) ? 1 : 0)
                .thenComparingLong(PodFacts::deletionCost)
                .thenComparingInt(pod -> -perNode.getOrDefault(node(pod), 0))
                .thenComparing(pod -> availableAt(pod, Duration.ZERO).orElse(Instant.EPOCH), Comparator.reverseOrder())
                .thenComparingLong(pod -> -restarts(pod))
                .thenComparing(Objects::created, Comparator.reverseOrder())
                .thenComparing(Objects::name);
    }
}
