package dev.kip.sim.apiserver;

import dev.kip.sim.apiserver.Writes.Part;
import dev.kip.sim.apiserver.schema.Cause;
import dev.kip.sim.apiserver.selector.LabelSelector;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code pods/eviction}: a delete that respects disruption budgets. */
final class Evictions {

    /** Seconds after which a client should ask again when a budget has not been computed yet. */
    private static final int BUDGET_RETRY_SECONDS = 10;

    private final Core core;
    private final Writes writes;
    private final Deletions deletions;

    Evictions(Core core, Writes writes, Deletions deletions) {
        this.core = core;
        this.writes = writes;
        this.deletions = deletions;
    }

    ObjectNode evict(Resource pods, String namespace, String name, ObjectNode eviction, WriteContext context) {
        DeleteRequest request = DeleteRequest.of(eviction.path("deleteOptions")).dry(context.dryRun());
        ObjectNode pod = pods.existing(namespace, name).object();
        if (needsNoBudget(pod)) {
            deletions.delete(pods, namespace, name, request);
            return Answers.success(201);
        }
        List<Versioned> budgets = budgetsOf(namespace, pod);
        if (budgets.size() > 1) {
            throw Failures.internal(
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
        }
        if (!budgets.isEmpty() && !isFree(pod, budgets.get(0).object())) {
            spend(namespace, name, budgets.get(0).object(), context);
        }
        if (!context.dryRun()) {
            markDisrupted(pods, namespace, name, context);
        }
        deletions.delete(pods, namespace, name, request);
        return Answers.success(201);
    }

    /** Ended, not begun, or already going: nobody loses anything. */
    private static boolean needsNoBudget(ObjectNode pod) {
        String phase = pod.path("status").path("phase").asString("");
        return phase.equals("Succeeded")
                || phase.equals("Failed")
                || phase.equals("Pending")
                || pod.path("metadata").has("deletionTimestamp");
    }

    /** A pod that is not ready may go without spending from a budget that is met without it. */
    private static boolean isFree(ObjectNode pod, ObjectNode budget) {
        boolean ready = pod.path("status")
                .path("conditions")
                .valueStream()
                .anyMatch(condition -> condition.path("type").asString("").equals("Ready")
                        && condition.path("status").asString("").equals("True"));
        if (ready) {
            return false;
        }
        int desired = budget.path("status").path("desiredHealthy").asInt(0);
        boolean met =
                desired > 0 && budget.path("status").path("currentHealthy").asInt(0) >= desired;
        return met
                || budget.path("spec")
                        .path("unhealthyPodEvictionPolicy")
                        .asString("")
                        .equals("AlwaysAllow");
    }

    private List<Versioned> budgetsOf(String namespace, ObjectNode pod) {
        Resource budgets = core.resource("policy", "poddisruptionbudgets");
        List<Versioned> found = new ArrayList<>();
        for (Versioned budget :
                Shelf.inNamespace(budgets.shelf().now(), namespace).values()) {
            LabelSelector selector =
                    LabelSelector.of(budget.object().path("spec").path("selector"));
            if (selector.matches(pod.path("metadata").path("labels"))) {
                found.add(budget);
            }
        }
        return found;
    }

    private void spend(String namespace, String podName, ObjectNode budget, WriteContext context) {
        JsonNode status = budget.path("status");
        String name = budget.path("metadata").path("name").asString("");
        if (status.path("observedGeneration").asInt(0)
                < budget.path("metadata").path("generation").asInt(0)) {
            throw Failures.tooManyRequests(
                    "Cannot evict pod as it would violate the pod's disruption budget.",
                    Optional.of(new Cause(
                            "DisruptionBudget",
                            "The disruption budget " + name + " is still being processed by the server.",
                            "")),
                    BUDGET_RETRY_SECONDS);
        }
        if (status.path("disruptionsAllowed").asInt(0) <= 0) {
            throw Failures.tooManyRequests(
                    "Cannot evict pod as it would violate the pod's disruption budget.",
                    Optional.of(new Cause(
                            "DisruptionBudget",
                            "The disruption budget " + name + " needs "
                                    + status.path("desiredHealthy").asInt(0) + " healthy pods and has "
                                    + status.path("currentHealthy").asInt(0) + " currently",
                            "")),
                    0);
        }
        Resource budgets = core.resource("policy", "poddisruptionbudgets");
        writes.update(
                budgets,
                namespace,
                name,
                Part.STATUS,
                false,
                present -> {
                    ObjectNode next = Trees.changing(present, "metadata", "status");
                    ObjectNode spent = next.withObjectProperty("status");
                    spent.put(
                            "disruptionsAllowed",
                            spent.path("disruptionsAllowed").asInt(0) - 1);
                    spent.withObjectProperty("disruptedPods").put(podName, core.timestamp());
                    return next;
                },
                context);
    }

    private void markDisrupted(Resource pods, String namespace, String name, WriteContext context) {
        writes.update(
                pods,
                namespace,
                name,
                Part.ANY,
                false,
                present -> {
                    ObjectNode pod = Trees.changing(present, "metadata", "status");
                    Conditions.set(
                            pod,
                            "DisruptionTarget",
                            "True",
                            "EvictionByEvictionAPI",
                            "Eviction API: evicting",
                            core.timestamp());
                    return pod;
                },
                context);
    }
}
