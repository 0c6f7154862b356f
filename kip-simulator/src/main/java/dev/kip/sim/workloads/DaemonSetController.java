package dev.kip.sim.workloads;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.ApiFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** One pod of a DaemonSet on each node that it may run on; the scheduler puts it there. */
final class DaemonSetController {

    private static final String HASH = "controller-revision-hash";
    private static final ImmutableSet<String> ALWAYS_TOLERATED_EXECUTION =
            ImmutableSet.of(Taints.NOT_READY, Taints.UNREACHABLE);
    private static final ImmutableSet<String> ALWAYS_TOLERATED_SCHEDULING = ImmutableSet.of(
            "node.kubernetes.io/disk-pressure",
            "node.kubernetes.io/memory-pressure",
            "node.kubernetes.io/pid-pressure",
            Taints.UNSCHEDULABLE);

    private final Cluster cluster;
    private final Cache sets;
    private final EventRecorder events;
    private final WorkQueue queue;

    DaemonSetController(Cluster cluster) {
        this.cluster = cluster;
        sets = cluster.cache("apps", "daemonsets");
        events = cluster.events("daemonset-controller");
        queue = cluster.queue("daemonsets", this::sync);
        sets.listen((before, after) -> after.ifPresent(set -> queue.add(Cache.key(set))));
        cluster.pods.listen((before, after) -> Objects.controller(
                        after.or(() -> before).orElseThrow())
                .filter(owner -> owner.path("kind").asString("").equals("DaemonSet"))
                .ifPresent(owner -> queue.add(Cache.key(
                        Objects.namespace(after.or(() -> before).orElseThrow()),
                        owner.path("name").asString("")))));
        cluster.nodes.listen((before, after) -> {
            if (before.isEmpty() || after.isEmpty() || matters(before.get(), after.get())) {
                sets.all().forEach(set -> queue.add(Cache.key(set)));
            }
        });
    }

    private static boolean matters(ObjectNode before, ObjectNode after) {
        return !before.path("spec").equals(after.path("spec"))
                || !before.path("metadata")
                        .path("labels")
                        .equals(after.path("metadata").path("labels"));
    }

    /** What there is and what there should be, of one set on one node. */
    private record Place(ObjectNode node, List<ObjectNode> pods, boolean wanted, boolean mayStay) {}

    private void sync(String key) {
        Optional<ObjectNode> found = sets.get(key);
        if (found.isEmpty()) {
            return;
        }
        ObjectNode set = found.get();
        String hash = Template.hash(set.path("spec").path("template"), 0);
        List<Place> places = places(set);
        if (!Objects.isLeaving(set)) {
            for (Place place : places) {
                manage(set, place, hash);
            }
            replaceOld(set, places, hash);
        }
        writeStatus(set, places(set), hash);
    }

    private List<Place> places(ObjectNode set) {
        Map<String, List<ObjectNode>> byNode = new TreeMap<>();
        for (ObjectNode pod : cluster.podsByController.get(Objects.uid(set))) {
            byNode.computeIfAbsent(target(pod), any -> new ArrayList<>()).add(pod);
        }
        ObjectNode spec = podSpec(set, "");
        List<Place> places = new ArrayList<>();
        for (ObjectNode node : cluster.nodes.all()) {
            List<ObjectNode> pods = byNode.getOrDefault(Objects.name(node), List.of());
            JsonNode tolerations = spec.path("tolerations");
            boolean fits = NodeFit.matchesAffinity(spec, node);
            places.add(new Place(
                    node,
                    pods,
                    fits
                            && Taints.untolerated(node, tolerations, Taints.SCHEDULING)
                                    .isEmpty(),
                    fits
                            && Taints.untolerated(node, tolerations, Taints.EXECUTION)
                                    .isEmpty()));
        }
        return places;
    }

    /** The node that a pod runs on or is meant for. */
    private static String target(ObjectNode pod) {
        if (!PodFacts.node(pod).isEmpty()) {
            return PodFacts.node(pod);
        }
        return pod.at(
                        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0")
                .asString("");
    }

    private void manage(ObjectNode set, Place place, String hash) {
        boolean living = false;
        for (ObjectNode pod : place.pods()) {
            if (Objects.isLeaving(pod)) {
                living = true; // its successor waits until it is gone
            } else if (PodFacts.hasEnded(pod)) {
                events.warning(
                        set,
                        sets.type(),
                        "FailedDaemonPod",
                        "Found failed daemon pod " + Cache.key(pod) + " on node " + Objects.name(place.node())
                                + ", will try to kill it");
                delete(set, pod);
                living = true;
            } else if (living || !place.mayStay()) {
                delete(set, pod);
            } else {
                living = true;
            }
        }
        if (!living && place.wanted()) {
            create(set, Objects.name(place.node()), hash);
        }
    }

    private void delete(ObjectNode set, ObjectNode pod) {
        cluster.delete(cluster.pods, pod);
        events.normal(set, sets.type(), "SuccessfulDelete", "Deleted pod: " + Objects.name(pod));
    }

    private void create(ObjectNode set, String node, String hash) {
        ObjectNode pod = Template.pod(set.path("spec").path("template"), set, "apps/v1", "DaemonSet");
        Objects.child(Objects.child(pod, "metadata"), "labels").put(HASH, hash);
        pod.set("spec", podSpec(set, node));
        try {
            ObjectNode created = cluster.create(cluster.pods, Objects.namespace(set), pod);
            events.normal(set, sets.type(), "SuccessfulCreate", "Created pod: " + Objects.name(created));
        } catch (ApiFailure failure) {
            events.warning(set, sets.type(), "FailedCreate", "Error creating: " + failure.getMessage());
            throw failure;
        }
    }

    /** The template's spec, tolerant of what befalls nodes, and tied to one node unless that is empty. */
    private static ObjectNode podSpec(ObjectNode set, String node) {
        ObjectNode spec =
                (ObjectNode) set.path("spec").path("template").path("spec").deepCopy();
        ArrayNode tolerations = Objects.array(spec, "tolerations");
        ALWAYS_TOLERATED_EXECUTION.forEach(taint -> tolerate(tolerations, taint, "NoExecute"));
        ALWAYS_TOLERATED_SCHEDULING.forEach(taint -> tolerate(tolerations, taint, "NoSchedule"));
        if (spec.path("hostNetwork").asBoolean(false)) {
            tolerate(tolerations, "node.kubernetes.io/network-unavailable", "NoSchedule");
        }
        if (!node.isEmpty()) {
            ObjectNode required = Objects.child(
                    Objects.child(Objects.child(spec, "affinity"), "nodeAffinity"),
                    "requiredDuringSchedulingIgnoredDuringExecution");
            ArrayNode terms = Objects.array(required, "nodeSelectorTerms");
            if (terms.isEmpty()) {
                terms.addObject();
            }
            for (JsonNode term : terms) {
                ((ObjectNode) term)
                        .putArray("matchFields")
                        .addObject()
                        .put("key", "metadata.name")
                        .put("operator", "In")
                        .putArray("values")
                        .add(node);
            }
        }
        return spec;
    }

    private static void tolerate(ArrayNode tolerations, String taint, String effect) {
        tolerations.addObject().put("key", taint).put("operator", "Exists").put("effect", effect);
    }

    /** Deletes pods of an earlier template, as many at a time as may be unavailable. */
    private void replaceOld(ObjectNode set, List<Place> places, String hash) {
        JsonNode strategy = set.path("spec").path("updateStrategy");
        if (strategy.path("type").asString("RollingUpdate").equals("OnDelete")) {
            return;
        }
        Map<ObjectNode, Boolean> old = new LinkedHashMap<>();
        int wanted = 0;
        int unavailable = 0;
        for (Place place : places) {
            if (!place.wanted()) {
                continue;
            }
            wanted++;
            boolean available = place.pods().stream().anyMatch(pod -> PodFacts.isActive(pod) && PodFacts.isReady(pod));
            unavailable += available ? 0 : 1;
            for (ObjectNode pod : place.pods()) {
                if (PodFacts.isActive(pod) && !Objects.label(pod, HASH).equals(hash)) {
                    old.put(pod, available);
                }
            }
        }
        int budget = maxUnavailable(strategy, wanted) - unavailable;
        for (Map.Entry<ObjectNode, Boolean> pod : old.entrySet()) {
            if (!pod.getValue()) {
                delete(set, pod.getKey());
            } else if (budget > 0) {
                budget--;
                delete(set, pod.getKey());
            }
        }
    }

    private static int maxUnavailable(JsonNode strategy, int wanted) {
        String text = strategy.path("rollingUpdate").path("maxUnavailable").asString("1");
        return text.endsWith("%")
                ? (int) Math.ceil(Integer.parseInt(text.substring(0, text.length() - 1)) * wanted / 100.0)
                : Integer.parseInt(text);
    }

    private void writeStatus(ObjectNode set, List<Place> places, String hash) {
        Instant now = cluster.now();
        Duration minReady =
                Duration.ofSeconds(set.path("spec").path("minReadySeconds").asLong(0));
        int desired = 0;
        int current = 0;
        int misscheduled = 0;
        int ready = 0;
        int available = 0;
        int updated = 0;
        for (Place place : places) {
            List<ObjectNode> living =
                    place.pods().stream().filter(PodFacts::isActive).toList();
            if (!place.wanted()) {
                misscheduled += living.isEmpty() ? 0 : 1;
                continue;
            }
            desired++;
            if (living.isEmpty()) {
                continue;
            }
            current++;
            ObjectNode pod = living.get(0);
            ready += PodFacts.isReady(pod) ? 1 : 0;
            available += PodFacts.isAvailable(pod, minReady, now) ? 1 : 0;
            updated += Objects.label(pod, HASH).equals(hash) ? 1 : 0;
            PodFacts.availableAt(pod, minReady)
                    .filter(at -> at.isAfter(now))
                    .ifPresent(at -> queue.addAfter(
                            Cache.key(set), Duration.between(now, at).plusMillis(1)));
        }
        ObjectNode changed = set.deepCopy();
        ObjectNode status = Objects.child(changed, "status");
        status.put("currentNumberScheduled", current)
                .put("numberMisscheduled", misscheduled)
                .put("desiredNumberScheduled", desired)
                .put("numberReady", ready);
        status.set("observedGeneration", Objects.number(Objects.generation(set)));
        Objects.count(status, "updatedNumberScheduled", updated);
        Objects.count(status, "numberAvailable", available);
        Objects.count(status, "numberUnavailable", desired - available);
        if (!changed.path("status").equals(set.path("status"))) {
            cluster.updateStatus(sets, changed);
        }
    }
}
