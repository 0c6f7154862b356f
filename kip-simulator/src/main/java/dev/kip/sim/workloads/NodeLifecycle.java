package dev.kip.sim.workloads;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Notices nodes that have fallen silent, and taints nodes by their conditions. */
final class NodeLifecycle {

    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final Duration GRACE = Duration.ofSeconds(40);
    private static final String[] WATCHED = {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"};

    /** Conditions that are taints when they are true. */
    private static final ImmutableMap<String, String> PRESSURES = ImmutableMap.of(
            "MemoryPressure", "node.kubernetes.io/memory-pressure",
            "DiskPressure", "node.kubernetes.io/disk-pressure",
            "PIDPressure", "node.kubernetes.io/pid-pressure",
            "NetworkUnavailable", "node.kubernetes.io/network-unavailable");

    private final Cluster cluster;
    private final Cache leases;
    private final EventRecorder events;
    private final WorkQueue queue;
    /** What a node last said and when that was first seen here, by our own clock: the clocks of nodes are not trusted. */
    private final Map<String, Sign> signs = new TreeMap<>();

    private record Sign(String renewed, String ready, long seenAt) {}

    NodeLifecycle(Cluster cluster) {
        this.cluster = cluster;
        leases = cluster.cache("coordination.k8s.io", "leases");
        events = cluster.events("node-controller");
        queue = cluster.queue("node lifecycle", this::sync);
        cluster.nodes.listen((before, after) -> {
            ObjectNode node = after.or(() -> before).orElseThrow();
            if (after.isEmpty()) {
                signs.remove(Objects.name(node));
            } else {
                queue.add(Objects.name(node));
                if (before.isEmpty()) {
                    events.normal(
                            node,
                            cluster.nodes.type(),
                            "RegisteredNode",
                            "Node " + Objects.name(node) + " event: Registered Node " + Objects.name(node)
                                    + " in Controller");
                }
            }
        });
    }

    void start() {
        cluster.loop().after(PERIOD, this::look);
    }

    private void look() {
        cluster.nodes.all().forEach(node -> queue.add(Objects.name(node)));
        cluster.loop().after(PERIOD, this::look);
    }

    private void sync(String name) {
        Optional<ObjectNode> found = cluster.nodes.get(Cache.key("", name));
        if (found.isEmpty()) {
            return;
        }
        ObjectNode node = found.get();
        if (isSilent(node)) {
            node = markUnknown(node);
        }
        taint(node);
        if (!Objects.conditionStatus(node, "Ready").equals("True")) {
            markPodsNotReady(node);
        }
    }

    private boolean isSilent(ObjectNode node) {
        String name = Objects.name(node);
        String renewed = leases.get(Cache.key("kube-node-lease", name))
                .map(lease -> lease.path("spec").path("renewTime").asString(""))
                .orElse("");
        String ready = Objects.condition(node, "Ready")
                .filter(condition -> !condition.path("status").asString("").equals("Unknown"))
                .map(condition -> condition.path("lastHeartbeatTime").asString("")
                        + condition.path("status").asString(""))
                .orElse("");
        Sign before = signs.get(name);
        // That it became Unknown is our own doing, not a sign of life.
        String status = ready.isEmpty() && before != null ? before.ready() : ready;
        if (before == null
                || !before.renewed().equals(renewed)
                || !before.ready().equals(status)) {
            signs.put(name, new Sign(renewed, status, cluster.loop().nanos()));
            return false;
        }
        return cluster.loop().nanos() - before.seenAt() > GRACE.toNanos();
    }

    private ObjectNode markUnknown(ObjectNode node) {
        ObjectNode changed = node.deepCopy();
        boolean was = Objects.conditionStatus(node, "Ready").equals("True");
        for (String type : WATCHED) {
            Optional<JsonNode> condition = Objects.condition(node, type);
            if (condition.isEmpty()) {
                Objects.setCondition(
                        changed,
                        type,
                        "Unknown",
                        "NodeStatusNeverUpdated",
                        "Kubelet never posted node status.",
                        cluster.now());
            } else if (!condition.get().path("status").asString("").equals("Unknown")) {
                Objects.setCondition(
                        changed,
                        type,
                        "Unknown",
                        "NodeStatusUnknown",
                        "Kubelet stopped posting node status.",
                        cluster.now());
            }
        }
        if (changed.equals(node)) {
            return node;
        }
        ObjectNode written = cluster.updateStatus(cluster.nodes, changed);
        if (was) {
            events.normal(
                    node,
                    cluster.nodes.type(),
                    "NodeNotReady",
                    "Node " + Objects.name(node) + " status is now: NodeNotReady");
        }
        return written;
    }

    private void taint(ObjectNode node) {
        Map<String, ObjectNode> wanted = new TreeMap<>();
        String ready = Objects.conditionStatus(node, "Ready");
        if (!ready.equals("True")) {
            // A node that has said nothing yet gets no pods; one that stopped speaking is out of reach.
            String key = ready.equals("Unknown") ? Taints.UNREACHABLE : Taints.NOT_READY;
            put(wanted, key, "NoSchedule");
            if (!ready.isEmpty()) {
                put(wanted, key, "NoExecute");
            }
        }
        if (node.path("spec").path("unschedulable").asBoolean(false)) {
            put(wanted, Taints.UNSCHEDULABLE, "NoSchedule");
        }
        PRESSURES.forEach((condition, key) -> {
            if (Objects.conditionStatus(node, condition).equals("True")) {
                put(wanted, key, "NoSchedule");
            }
        });
        List<JsonNode> taints = new ArrayList<>();
        for (JsonNode taint : node.path("spec").path("taints")) {
            if (!isOurs(taint)) {
                taints.add(taint);
            } else if (wanted.remove(id(taint)) != null) {
                taints.add(taint);
            }
        }
        taints.addAll(wanted.values());
        ObjectNode changed = node.deepCopy();
        ArrayNode list = Objects.child(changed, "spec").putArray("taints");
        list.addAll(taints);
        if (list.isEmpty()) {
            Objects.child(changed, "spec").remove("taints");
        }
        if (!changed.path("spec").equals(node.path("spec"))) {
            cluster.update(cluster.nodes, changed);
        }
    }

    private static boolean isOurs(JsonNode taint) {
        String key = taint.path("key").asString("");
        return key.equals(Taints.NOT_READY)
                || key.equals(Taints.UNREACHABLE)
                || key.equals(Taints.UNSCHEDULABLE)
                || PRESSURES.containsValue(key);
    }

    private static String id(JsonNode taint) {
        return taint.path("key").asString("") + ":" + taint.path("effect").asString("");
    }

    private void put(Map<String, ObjectNode> wanted, String key, String effect) {
        ObjectNode taint = Objects.JSON.objectNode().put("key", key).put("effect", effect);
        taint.put("timeAdded", Objects.stamp(cluster.now()));
        wanted.put(id(taint), taint);
    }

    private void markPodsNotReady(ObjectNode node) {
        for (ObjectNode pod : cluster.podsByNode.get(Objects.name(node))) {
            if (PodFacts.isReady(pod)) {
                ObjectNode changed = pod.deepCopy();
                Objects.condition(changed, "Ready")
                        .ifPresent(condition -> ((ObjectNode) condition)
                                .put("status", "False")
                                .put("lastTransitionTime", Objects.stamp(cluster.now())));
                cluster.updateStatus(cluster.pods, changed);
                events.warning(pod, cluster.pods.type(), "NodeNotReady", "Node is not ready");
            }
        }
    }
}
