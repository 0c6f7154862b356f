package dev.kip.sim.workloads;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer. */
final class TaintEviction {

    private final Cluster cluster;
    private final EventRecorder events;
    private final WorkQueue queue;

    TaintEviction(Cluster cluster) {
        this.cluster = cluster;
        events = cluster.events("taint-eviction-controller");
        queue = cluster.queue("taint eviction", this::sync);
        cluster.pods.listen((before, after) ->
                after.filter(pod -> isTainted(PodFacts.node(pod))).ifPresent(pod -> queue.add(Cache.key(pod))));
        cluster.nodes.listen((before, after) -> {
            if (after.isPresent() && !taints(before).equals(taints(after))) {
                cluster.podsByNode.get(Objects.name(after.get())).forEach(pod -> queue.add(Cache.key(pod)));
            }
        });
    }

    private static JsonNode taints(Optional<ObjectNode> node) {
        return node.map(known -> known.path("spec").path("taints")).orElseGet(Objects.JSON::missingNode);
    }

    private boolean isTainted(String node) {
        return cluster.nodes
                .get(Cache.key("", node))
                .filter(known -> !known.path("spec").path("taints").isEmpty())
                .isPresent();
    }

    private void sync(String key) {
        Optional<ObjectNode> pod = cluster.pods.get(key).filter(known -> !Objects.isLeaving(known));
        Optional<ObjectNode> node = pod.flatMap(known -> cluster.nodes.get(Cache.key("", PodFacts.node(known))));
        if (pod.isEmpty() || node.isEmpty()) {
            return;
        }
        Optional<Instant> due = due(pod.get(), node.get());
        if (due.isEmpty()) {
            return;
        }
        Duration left = Duration.between(cluster.now(), due.get());
        if (left.compareTo(Duration.ZERO) > 0) {
            queue.addAfter(key, left);
            return;
        }
        events.normal(pod.get(), cluster.pods.type(), "TaintManagerEviction", "Marking for deletion Pod " + key);
        ObjectNode changed = pod.get().deepCopy();
        if (Objects.setCondition(
                changed,
                "DisruptionTarget",
                "True",
                "DeletionByTaintManager",
                "Taint manager: deleting due to NoExecute taint",
                cluster.now())) {
            cluster.updateStatus(cluster.pods, changed);
        }
        cluster.delete(cluster.pods, pod.get());
    }

    /** When the pod has to go; empty if it may stay for ever. */
    private Optional<Instant> due(ObjectNode pod, ObjectNode node) {
        Optional<Instant> due = Optional.empty();
        for (JsonNode taint : node.path("spec").path("taints")) {
            if (!taint.path("effect").asString("").equals("NoExecute")) {
                continue;
            }
            Instant since = Objects.instant(taint.path("timeAdded")).orElse(cluster.now());
            Optional<Instant> until = toleratedUntil(pod, taint, since);
            if (until.isPresent() && (due.isEmpty() || until.get().isBefore(due.get()))) {
                due = until;
            }
        }
        return due;
    }

    private static Optional<Instant> toleratedUntil(ObjectNode pod, JsonNode taint, Instant since) {
        boolean tolerated = false;
        Optional<Instant> until = Optional.empty();
        for (JsonNode toleration : pod.path("spec").path("tolerations")) {
            if (!Taints.tolerates(toleration, taint)) {
                continue;
            }
            tolerated = true;
            if (toleration.path("tolerationSeconds").isNumber()) {
                Instant end = since.plusSeconds(
                        Math.max(0, toleration.path("tolerationSeconds").asLong()));
                until = until.filter(earlier -> earlier.isBefore(end)).or(() -> Optional.of(end));
            }
        }
        return tolerated ? until : Optional.of(Instant.EPOCH);
    }
}
