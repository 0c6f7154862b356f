package dev.kip.sim.workloads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Removes pods that nobody will: those of nodes that are gone, and ended ones when there are too many. */
final class PodGarbageCollector {

    private static final Duration PERIOD = Duration.ofSeconds(20);
    /** A node that vanished a moment ago may come back under the same name. */
    private static final Duration QUARANTINE = Duration.ofSeconds(40);

    private static final int ENDED_KEPT = 12_500;

    private final Cluster cluster;
    private final WorkQueue queue;
    /** When a node that pods name was first missed, by the monotonic clock. */
    private final Map<String, Long> missing = new TreeMap<>();

    PodGarbageCollector(Cluster cluster) {
        this.cluster = cluster;
        queue = cluster.queue("pod garbage collector", any -> collect());
    }

    void start() {
        cluster.loop().after(PERIOD, this::look);
    }

    private void look() {
        queue.add("all");
        cluster.loop().after(PERIOD, this::look);
    }

    private void collect() {
        List<ObjectNode> ended = new ArrayList<>();
        List<ObjectNode> orphans = new ArrayList<>();
        Map<String, Long> missingNow = new TreeMap<>();
        for (ObjectNode pod : cluster.pods.all()) {
            String node = PodFacts.node(pod);
            if (PodFacts.hasEnded(pod)) {
                ended.add(pod);
            }
            if (!node.isEmpty() && cluster.nodes.get(Cache.key("", node)).isEmpty()) {
                missingNow.put(node, missing.getOrDefault(node, cluster.loop().nanos()));
                orphans.add(pod);
            } else if (node.isEmpty() && Objects.isLeaving(pod)) {
                force(pod);
            }
        }
        missing.clear();
        missing.putAll(missingNow);
        for (ObjectNode pod : orphans) {
            long since = missing.getOrDefault(PodFacts.node(pod), cluster.loop().nanos());
            if (cluster.loop().nanos() - since >= QUARANTINE.toNanos()) {
                fail(pod);
                force(pod);
            }
        }
        if (ended.size() > ENDED_KEPT) {
            ended.sort(Comparator.<ObjectNode, java.time.Instant>comparing(Objects::created)
                    .thenComparing(Objects::name));
            ended.subList(0, ended.size() - ENDED_KEPT).forEach(this::force);
        }
    }

    private void fail(ObjectNode pod) {
        if (PodFacts.hasEnded(pod)) {
            return;
        }
        ObjectNode changed = pod.deepCopy();
        Objects.child(changed, "status").put("phase", "Failed");
        Objects.setCondition(
                changed, "DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists", cluster.now());
        cluster.updateStatus(cluster.pods, changed);
    }

    private void force(ObjectNode pod) {
        cluster.delete(cluster.pods.type(), pod, Optional.of(0), "Background");
    }
}
