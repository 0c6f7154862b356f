package dev.kip.sim.workloads;

import dev.kip.sim.apiserver.ApiFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
    /** Pods by the uid of their controller, in the order of names. */
    private final Map<String, TreeMap<String, Owned>> owned = new LinkedHashMap<>();

    /** What is asked of each pod at every sync, read once: a sync is due whenever one of thousands has changed. */
    private record Owned(ObjectNode pod, JsonNode labels, boolean leaving, boolean active, boolean ready) {

        static Owned of(ObjectNode pod) {
            return new Owned(
                    pod,
                    pod.path("metadata").path("labels"),
                    Objects.isLeaving(pod),
                    PodFacts.isActive(pod),
                    PodFacts.isReady(pod));
        }
    }

    ReplicaSetController(Cluster cluster) {
        this.cluster = cluster;
        sets = cluster.cache("apps", "replicasets");
        setsByNamespace = sets.index(set -> List.of(Objects.namespace(set)));
        events = cluster.events("replicaset-controller");
        queue = cluster.queue("replicasets", this::sync);
        sets.listen((before, after) -> after.ifPresent(set -> queue.add(Cache.key(set))));
        cluster.pods.listen((before, after) -> {
            before.ifPresent(this::forget);
            after.ifPresent(this::remember);
            before.ifPresent(this::podChanged);
            after.ifPresent(this::podChanged);
        });
    }

    private void forget(ObjectNode pod) {
        String uid = Objects.controllerUid(pod);
        TreeMap<String, Owned> pods = owned.get(uid);
        if (pods != null && pods.remove(Cache.key(pod)) != null && pods.isEmpty()) {
            owned.remove(uid);
        }
    }

    private void remember(ObjectNode pod) {
        String uid = Objects.controllerUid(pod);
        if (!uid.isEmpty()) {
            owned.computeIfAbsent(uid, any -> new TreeMap<>()).put(Cache.key(pod), Owned.of(pod));
        }
    }

    private Collection<Owned> ownedBy(ObjectNode set) {
        TreeMap<String, Owned> pods = owned.get(Objects.uid(set));
        return pods == null ? List.of() : pods.values();
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
        JsonNode selector = set.path("spec").path("selector");
        List<Owned> strayed = ownedBy(set).stream()
                .filter(pod -> !pod.leaving() && !Selector.matches(selector, pod.labels()))
                .toList();
        for (Owned stray : strayed) {
            ObjectNode released = stray.pod().deepCopy();
            ArrayNode owners = Objects.array(Objects.child(released, "metadata"), "ownerReferences");
            owners.removeIf(owner -> owner.path("uid").asString("").equals(Objects.uid(set)));
            cluster.update(cluster.pods, released);
        }
    }

    private List<ObjectNode> active(ObjectNode set) {
        return ownedBy(set).stream().filter(Owned::active).map(Owned::pod).toList();
    }

    private void manage(ObjectNode set) {
        List<ObjectNode> active = active(set);
        int wanted = set.path("spec").path("replicas").asInt(1);
        for (int missing = wanted - active.size(); missing > 0; missing--) {
            create(set);
        }
        if (active.size() > wanted) {
            Map<String, Integer> perNode = new LinkedHashMap<>();
            active.forEach(pod -> perNode.merge(PodFacts.node(pod), 1, Integer::sum));
            List<ObjectNode> ranked = new ArrayList<>(active);
            ranked.sort(PodFacts.deletedFirst(perNode));
            for (ObjectNode pod : ranked.subList(0, active.size() - wanted)) {
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
        int replicas = 0;
        int labelled = 0;
        int ready = 0;
        int available = 0;
        JsonNode templateLabels =
                set.path("spec").path("template").path("metadata").path("labels");
        for (Owned pod : ownedBy(set)) {
            if (!pod.active()) {
                continue;
            }
            replicas++;
            labelled += Selector.hasAll(templateLabels, pod.labels()) ? 1 : 0;
            if (pod.ready()) {
                ready++;
                if (minReady.isZero() || PodFacts.isAvailable(pod.pod(), minReady, now)) {
                    available++;
                } else {
                    Instant at = PodFacts.availableAt(pod.pod(), minReady).orElse(now);
                    queue.addAfter(Cache.key(set), Duration.between(now, at).plusMillis(1));
                }
            }
        }
        ObjectNode changed = set.deepCopy();
        ObjectNode status = Objects.child(changed, "status");
        status.put("replicas", replicas);
        Objects.count(status, "fullyLabeledReplicas", labelled);
        Objects.count(status, "readyReplicas", ready);
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
}
