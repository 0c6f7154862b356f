package dev.kip.sim.workloads;

import dev.kip.entropy.Entropy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/**
 * Binds pods to nodes where they fit, to the emptiest first. A pod that fits nowhere says so in an event and a condition
 * and is tried again when a node changes, when a pod leaves, and now and then.
 */
final class Scheduler {

    private static final String NAME = "default-scheduler";
    /** The real one flushes its unschedulable pods every five minutes. */
    private static final Duration RETRY = Duration.ofMinutes(5);

    private final Cluster cluster;
    private final EventRecorder events;
    private final Entropy entropy;
    private final WorkQueue queue;
    private final TreeSet<String> unschedulable = new TreeSet<>();
    /** What pods take on their nodes, also those that were bound a moment ago. */
    private final Map<String, Assignment> assignments = new LinkedHashMap<>();

    private final Map<String, Resources> used = new TreeMap<>();

    private record Assignment(String node, Resources resources) {}

    Scheduler(Cluster cluster) {
        this.cluster = cluster;
        events = cluster.events(NAME);
        entropy = cluster.entropy("scheduler");
        queue = cluster.queue("scheduler queue", this::schedule);
        cluster.pods.listen(this::podChanged);
        cluster.nodes.listen((before, after) -> {
            if (before.isEmpty() || after.isEmpty() || matters(before.get(), after.get())) {
                retryAll();
            }
        });
    }

    /** Heartbeats do not make room. */
    private static boolean matters(ObjectNode before, ObjectNode after) {
        return !before.path("spec").equals(after.path("spec"))
                || !before.path("metadata")
                        .path("labels")
                        .equals(after.path("metadata").path("labels"))
                || !before.path("status")
                        .path("allocatable")
                        .equals(after.path("status").path("allocatable"))
                || !Objects.conditionStatus(before, "Ready").equals(Objects.conditionStatus(after, "Ready"));
    }

    private void podChanged(Optional<ObjectNode> before, Optional<ObjectNode> after) {
        String uid = Objects.uid(after.or(() -> before).orElseThrow());
        if (after.isEmpty() || PodFacts.hasEnded(after.get())) {
            if (release(uid)) {
                retryAll();
            }
            return;
        }
        ObjectNode pod = after.get();
        if (!PodFacts.node(pod).isEmpty()) {
            assign(uid, PodFacts.node(pod), Resources.ofPod(pod));
        } else if (isOurs(pod)
                && (before.isEmpty() || !before.get().path("spec").equals(pod.path("spec")))) {
            queue.add(Cache.key(pod));
        }
    }

    private static boolean isOurs(ObjectNode pod) {
        return pod.path("spec").path("schedulerName").asString(NAME).equals(NAME)
                && pod.path("spec").path("schedulingGates").isEmpty()
                && !Objects.isLeaving(pod);
    }

    private void retryAll() {
        unschedulable.forEach(queue::add);
        unschedulable.clear();
    }

    private void schedule(String key) {
        Optional<ObjectNode> found = cluster.pods.get(key);
        if (found.isEmpty()
                || !PodFacts.node(found.get()).isEmpty()
                || !isOurs(found.get())
                || assignments.containsKey(Objects.uid(found.get()))) {
            return;
        }
        ObjectNode pod = found.get();
        Resources wanted = Resources.ofPod(pod);
        Map<String, Integer> obstacles = new TreeMap<>();
        List<String> best = new ArrayList<>();
        BigDecimal leastLoad = BigDecimal.ZERO;
        for (ObjectNode node : cluster.nodes.all()) {
            Resources usedThere = used.getOrDefault(Objects.name(node), Resources.NONE);
            Optional<String> obstacle = NodeFit.obstacle(pod, wanted, node, usedThere);
            if (obstacle.isPresent()) {
                obstacles.merge(obstacle.get(), 1, Integer::sum);
                continue;
            }
            BigDecimal load = NodeFit.load(node, usedThere.plus(wanted));
            int order = best.isEmpty() ? -1 : load.compareTo(leastLoad);
            if (order == 0) {
                order = usedThere
                        .get("pods")
                        .compareTo(
                                used.getOrDefault(best.get(0), Resources.NONE).get("pods"));
            }
            if (order < 0) {
                best.clear();
                leastLoad = load;
            }
            if (order <= 0) {
                best.add(Objects.name(node));
            }
        }
        if (best.isEmpty()) {
            refuse(pod, obstacles);
        } else {
            bind(pod, best.get((int) entropy.below(best.size())), wanted);
        }
    }

    private void bind(ObjectNode pod, String node, Resources wanted) {
        ObjectNode binding = Objects.JSON.objectNode().put("kind", "Binding").put("apiVersion", "v1");
        binding.putObject("metadata")
                .put("name", Objects.name(pod))
                .put("namespace", Objects.namespace(pod))
                .put("uid", Objects.uid(pod));
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
        cluster.api()
                .createSubresource(cluster.pods.type(), Objects.namespace(pod), Objects.name(pod), "binding", binding);
        assign(Objects.uid(pod), node, wanted);
        events.normal(
                pod,
                cluster.pods.type(),
                "Scheduled",
                "Successfully assigned " + Objects.namespace(pod) + "/" + Objects.name(pod) + " to " + node);
    }

    private void refuse(ObjectNode pod, Map<String, Integer> obstacles) {
        int nodes = cluster.nodes.all().size();
        List<String> reasons = new ArrayList<>();
        obstacles.forEach((obstacle, count) -> reasons.add(count + " " + obstacle));
        String message = nodes == 0
                ? "no nodes available to schedule pods"
                : "0/" + nodes + " nodes are available: " + String.join(", ", reasons)
                        + ". preemption: 0/" + nodes + " nodes are available: " + nodes
                        + " Preemption is not helpful for scheduling.";
        String key = Cache.key(pod);
        unschedulable.add(key);
        queue.addAfter(key, RETRY);
        events.warning(pod, cluster.pods.type(), "FailedScheduling", message);
        ObjectNode changed = pod.deepCopy();
        if (Objects.setCondition(changed, "PodScheduled", "False", "Unschedulable", message, cluster.now())) {
            cluster.updateStatus(cluster.pods, changed);
        }
    }

    private void assign(String uid, String node, Resources resources) {
        Assignment before = assignments.put(uid, new Assignment(node, resources));
        if (before != null) {
            used.computeIfPresent(before.node(), (name, sum) -> sum.minus(before.resources()));
        }
        used.merge(node, resources, Resources::plus);
    }

    private boolean release(String uid) {
        Assignment before = assignments.remove(uid);
        if (before == null) {
            return false;
        }
        used.computeIfPresent(before.node(), (name, sum) -> sum.minus(before.resources()));
        return true;
    }
}
