package dev.kip.sim.workloads;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Keeps the status of PodDisruptionBudgets, by which the API server allows or refuses evictions. */
final class DisruptionController {

    private final Cluster cluster;
    private final Cache budgets;
    private final Cache.Index budgetsByNamespace;
    private final Cache.Index podsByNamespace;
    private final Cache.Index replicaSetsByUid;
    private final WorkQueue queue;

    DisruptionController(Cluster cluster) {
        this.cluster = cluster;
        budgets = cluster.cache("policy", "poddisruptionbudgets");
        budgetsByNamespace = budgets.index(budget -> List.of(Objects.namespace(budget)));
        podsByNamespace = cluster.pods.index(pod -> List.of(Objects.namespace(pod)));
        replicaSetsByUid = cluster.cache("apps", "replicasets").index(set -> List.of(Objects.uid(set)));
        queue = cluster.queue("disruption", this::sync);
        budgets.listen((before, after) -> after.ifPresent(budget -> queue.add(Cache.key(budget))));
        cluster.pods.listen((before, after) -> {
            before.ifPresent(this::podChanged);
            after.ifPresent(this::podChanged);
        });
    }

    private void podChanged(ObjectNode pod) {
        for (ObjectNode budget : budgetsByNamespace.get(Objects.namespace(pod))) {
            if (selects(budget, pod)) {
                queue.add(Cache.key(budget));
            }
        }
    }

    private static boolean selects(ObjectNode budget, ObjectNode pod) {
        JsonNode selector = budget.path("spec").path("selector");
        return selector.isObject()
                && Selector.matches(selector, pod.path("metadata").path("labels"));
    }

    private void sync(String key) {
        Optional<ObjectNode> found = budgets.get(key);
        if (found.isEmpty()) {
            return;
        }
        ObjectNode budget = found.get();
        List<ObjectNode> pods = podsByNamespace.get(Objects.namespace(budget)).stream()
                .filter(pod -> selects(budget, pod) && PodFacts.isActive(pod))
                .toList();
        int healthy = (int) pods.stream().filter(PodFacts::isReady).count();
        JsonNode minimum = budget.path("spec").path("minAvailable");
        JsonNode maximum = budget.path("spec").path("maxUnavailable");
        int expected = maximum.isMissingNode() && minimum.isNumber() ? pods.size() : expected(pods);
        int desired =
                maximum.isMissingNode() ? part(minimum, expected) : Math.max(0, expected - part(maximum, expected));
        int allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
        ObjectNode changed = budget.deepCopy();
        ObjectNode status = Objects.child(changed, "status");
        status.put("currentHealthy", healthy)
                .put("desiredHealthy", desired)
                .put("expectedPods", expected)
                .put("disruptionsAllowed", allowed);
        status.set("observedGeneration", Objects.number(Objects.generation(budget)));
        // Pods that the API server has let go are forgotten once they are seen leaving.
        if (status.get("disruptedPods") instanceof ObjectNode disrupted) {
            disrupted.removeIf(any -> true);
            status.remove("disruptedPods");
        }
        Objects.setCondition(
                changed,
                "DisruptionAllowed",
                allowed > 0 ? "True" : "False",
                allowed > 0 ? "SufficientPods" : "InsufficientPods",
                "",
                cluster.now());
        if (!changed.path("status").equals(budget.path("status"))) {
            cluster.updateStatus(budgets, changed);
        }
    }

    /** How many pods the owners of these want. */
    private int expected(List<ObjectNode> pods) {
        return pods.stream()
                .map(Objects::controllerUid)
                .distinct()
                .mapToInt(uid -> {
                    if (uid.isEmpty()) {
                        return (int) pods.stream()
                                .filter(pod -> Objects.controllerUid(pod).isEmpty())
                                .count();
                    }
                    return replicaSetsByUid.get(uid).stream()
                            .findFirst()
                            .map(Rollout::replicas)
                            .orElseGet(() -> (int) pods.stream()
                                    .filter(pod -> Objects.controllerUid(pod).equals(uid))
                                    .count());
                })
                .sum();
    }

    private static int part(JsonNode value, int whole) {
        String text = value.asString("0");
        return text.endsWith("%")
                ? (int) Math.ceil(Integer.parseInt(text.substring(0, text.length() - 1)) * whole / 100.0)
                : Integer.parseInt(text);
    }
}
