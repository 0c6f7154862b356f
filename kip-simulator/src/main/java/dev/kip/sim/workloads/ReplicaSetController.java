package dev.kip.sim.workloads;

import dev.kip.sim.apiserver.ApiFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Keeps as many pods as a ReplicaSet asks for. */
final class ReplicaSetController {

    private static final String API_VERSION = "apps/v1";
    private static final String KIND = "ReplicaSet";

    private final Cluster cluster;
    private final Cache sets;
    private final Cache.Index setsByNamespace;
    private final EventRecorder events;
    private final WorkQueue queue;
    /** By the uid of their controller. */
    private final Map<String, OwnedPods> owned = new LinkedHashMap<>();

    ReplicaSetController(Cluster cluster) {
        this.cluster = cluster;
        sets = cluster.cache("apps", "replicasets");
        setsByNamespace = sets.index(set -> List.of(Objects.namespace(set)));
        events = cluster.events("replicaset-controller");
        queue = cluster.queue("replicasets", this::sync);
        sets.listen((before, after) -> after.ifPresent(set -> queue.add(Cache.key(set))));
        cluster.pods.listen((before, after) -> {
            boolean sameOwner = before.map(Objects::controllerUid).equals(after.map(Objects::controllerUid));
            before.filter(pod -> !sameOwner).ifPresent(this::forget);
            after.ifPresent(this::remember);
            before.ifPresent(this::podChanged);
            after.ifPresent(this::podChanged);
        });
    }

    private void forget(ObjectNode pod) {
        String uid = Objects.controllerUid(pod);
        OwnedPods pods = owned.get(uid);
        if (pods != null) {
            pods.remove(Cache.key(pod));
            if (pods.isEmpty()) {
                owned.remove(uid);
            }
        }
    }

    private void remember(ObjectNode pod) {
        String uid = Objects.controllerUid(pod);
        if (!uid.isEmpty()) {
            owned.computeIfAbsent(uid, any -> new OwnedPods()).put(Cache.key(pod), pod);
        }
    }

    private OwnedPods ownedBy(ObjectNode set) {
        OwnedPods pods = owned.get(Objects.uid(set));
        return pods == null ? new OwnedPods() : pods;
    }

    private void podChanged(ObjectNode pod) {
        Optional<JsonNode> controller = Objects.controller(pod);
        if (controller.isEmpty()) {
            for (ObjectNode set : setsByNamespace.get(Objects.namespace(pod))) {
                if (matches(set, pod)) {
                    queue.add(Cache.key(set));
                }
            }
        } else if (controller.get().path("kind").asString("").equals(KIND)) {
            queue.add(Cache.key(
                    Objects.namespace(pod),
                    Objects.name(Objects.JSON.objectNode().set("metadata", controller.get()))));
        }
    }

    private static boolean matches(ObjectNode set, ObjectNode pod) {
        return Selector.matches(
                set.path("spec").path("selector"), pod.path("metadata").path("labels"));
    }

    private void sync(String key) {
        Optional<ObjectNode> found = sets.get(key);
        if (found.isEmpty()) {
            return;
        }
        ObjectNode set = found.get();
        Optional<ApiFailure> refused = Optional.empty();
        if (!Objects.isLeaving(set)) {
            claim(set);
            try {
                manage(set);
            } catch (ApiFailure failure) {
                refused = Optional.of(failure);
            }
        }
        writeStatus(set, refused);
        if (refused.isPresent()) {
            throw refused.get();
        }
    }

    /** Adopts matching pods without a controller, and lets go of its own that match no longer. */
    private void claim(ObjectNode set) {
        for (ObjectNode pod : cluster.orphanPods.get(Objects.namespace(set))) {
            if (PodFacts.isActive(pod) && matches(set, pod)) {
                ObjectNode adopted = pod.deepCopy();
                Objects.array(Objects.child(adopted, "metadata"), "ownerReferences")
                        .add(Objects.controllerReference(set, API_VERSION, KIND));
                cluster.update(cluster.pods, adopted);
            }
        }
        for (ObjectNode pod : ownedBy(set).strayed(set.path("spec").path("selector"))) {
            ObjectNode released = pod.deepCopy();
            ArrayNode owners = Objects.array(Objects.child(released, "metadata"), "ownerReferences");
            owners.removeIf(owner -> owner.path("uid").asString("").equals(Objects.uid(set)));
            cluster.update(cluster.pods, released);
        }
    }

    private void manage(ObjectNode set) {
        int surplus =
                ownedBy(set).activeCount() - set.path("spec").path("replicas").asInt(1);
        for (int missing = -surplus; missing > 0; missing--) {
            create(set);
        }
        if (surplus > 0) {
            List<ObjectNode> active = ownedBy(set).active();
            Map<String, Integer> perNode = new LinkedHashMap<>();
            active.forEach(pod -> perNode.merge(PodFacts.node(pod), 1, Integer::sum));
            List<ObjectNode> ranked = new ArrayList<>(active);
            ranked.sort(PodFacts.deletedFirst(perNode));
            for (ObjectNode pod : ranked.subList(0, surplus)) {
                cluster.delete(cluster.pods, pod);
                events.normal(set, sets.type(), "SuccessfulDelete", "Deleted pod: " + Objects.name(pod));
            }
        }
    }

    private void create(ObjectNode set) {
        ObjectNode pod = Template.pod(set.path("spec").path("template"), set, API_VERSION, KIND);
        try {
            ObjectNode created = cluster.create(cluster.pods, Objects.namespace(set), pod);
            events.normal(set, sets.type(), "SuccessfulCreate", "Created pod: " + Objects.name(created));
        } catch (ApiFailure failure) {
            events.warning(set, sets.type(), "FailedCreate", "Error creating: " + failure.getMessage());
            throw failure;
        }
    }

    private void writeStatus(ObjectNode set, Optional<ApiFailure> refused) {
        Instant now = cluster.now();
        Duration minReady =
                Duration.ofSeconds(set.path("spec").path("minReadySeconds").asLong(0));
        OwnedPods pods = ownedBy(set);
        int available = minReady.isZero() ? pods.readyCount() : available(set, minReady, now);
        ObjectNode changed = set.deepCopy();
        ObjectNode status = Objects.child(changed, "status");
        status.put("replicas", pods.activeCount());
        Objects.count(
                status,
                "fullyLabeledReplicas",
                pods.labelledCount(
                        set.path("spec").path("template").path("metadata").path("labels")));
        Objects.count(status, "readyReplicas", pods.readyCount());
        Objects.count(status, "availableReplicas", available);
        status.set("observedGeneration", Objects.number(Objects.generation(set)));
        if (refused.isPresent()) {
            Objects.setCondition(
                    changed,
                    "ReplicaFailure",
                    "True",
                    "FailedCreate",
                    refused.get().status().path("message").asString(""),
                    now);
        } else if (status.get("conditions") instanceof ArrayNode conditions) {
            conditions.removeIf(condition -> condition.path("type").asString("").equals("ReplicaFailure"));
            if (conditions.isEmpty()) {
                status.remove("conditions");
            }
        }
        if (!changed.path("status").equals(set.path("status"))) {
            cluster.updateStatus(sets, changed);
        }
    }

    /** How many have been ready for long enough; looks again when the next one will have been. */
    private int available(ObjectNode set, Duration minReady, Instant now) {
        int available = 0;
        for (ObjectNode pod : ownedBy(set).active()) {
            if (PodFacts.isAvailable(pod, minReady, now)) {
                available++;
            } else {
                PodFacts.availableAt(pod, minReady)
                        .ifPresent(at -> queue.addAfter(
                                Cache.key(set), Duration.between(now, at).plusMillis(1)));
            }
        }
        return available;
    }
}
