package dev.kip.sim.workloads;

import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.ResourceType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Deletes what is owned by objects that are gone, holds an object in foreground deletion until its dependents are gone,
 * and sets dependents free when an object is deleted with the orphan policy. Knows objects of every served type by their
 * uid, but only their references.
 */
final class OwnerGarbageCollector {

    private static final String FOREGROUND = "foregroundDeletion";
    private static final String ORPHAN = "orphan";

    private final Cluster cluster;
    private final ApiClient api;
    private final WorkQueue queue;
    private final Map<String, ResourceType> watched = new TreeMap<>();
    /** By uid. */
    private final Map<String, Known> objects = new LinkedHashMap<>();
    /** Uids of dependents by the uid of their owner, in order. */
    private final Map<String, TreeSet<String>> dependents = new LinkedHashMap<>();

    /**
     * An object as far as ownership goes.
     *
     * @param owners uids
     */
    private record Known(ResourceType type, String namespace, String name, List<String> owners) {}

    OwnerGarbageCollector(Cluster cluster) {
        this.cluster = cluster;
        api = cluster.api();
        queue = cluster.queue("owner garbage collector", this::sync);
    }

    void start() {
        watch();
        api.onResources(this::watch);
    }

    private void watch() {
        for (ResourceType type : api.resources()) {
            boolean collected = type.verbs().contains("list")
                    && type.verbs().contains("watch")
                    && !type.kind().equals("Event");
            if (collected && watched.putIfAbsent(type.group() + "/" + type.plural(), type) == null) {
                api.onChange(type, (event, object) -> changed(type, event, object));
                api.list(type, "").forEach(object -> changed(type, "ADDED", object));
            }
        }
    }

    private void changed(ResourceType type, String event, ObjectNode object) {
        String uid = Objects.uid(object);
        Known before = objects.get(uid);
        if (before != null) {
            before.owners()
                    .forEach(owner -> dependents.computeIfPresent(owner, (any, uids) -> {
                        uids.remove(uid);
                        return uids.isEmpty() ? null : uids;
                    }));
        }
        if (event.equals("DELETED")) {
            objects.remove(uid);
            dependents.getOrDefault(uid, new TreeSet<>()).forEach(queue::add);
            if (before != null) {
                before.owners().forEach(queue::add); // one that waits for it in the foreground
            }
            return;
        }
        List<String> owners = new ArrayList<>();
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            String ownerUid = owner.path("uid").asString("");
            owners.add(ownerUid);
            dependents.computeIfAbsent(ownerUid, any -> new TreeSet<>()).add(uid);
        }
        objects.put(uid, new Known(type, Objects.namespace(object), Objects.name(object), owners));
        if (Objects.isLeaving(object)
                || (before == null && !owners.isEmpty())
                || (before != null && !before.owners().equals(owners))) {
            queue.add(uid);
        }
    }

    private void sync(String uid) {
        Known known = objects.get(uid);
        if (known == null) {
            return;
        }
        Optional<ObjectNode> live = api.get(known.type(), known.namespace(), known.name())
                .filter(object -> Objects.uid(object).equals(uid));
        if (live.isEmpty()) {
            return;
        }
        if (Objects.isLeaving(live.get())) {
            if (hasFinalizer(live.get(), ORPHAN)) {
                orphan(known, live.get());
            } else if (hasFinalizer(live.get(), FOREGROUND)) {
                holdUntilDependentsAreGone(known, live.get());
            }
        } else {
            collect(known, live.get());
        }
    }

    /** Deletes the object if no owner is left, or drops the references to those that are gone. */
    private void collect(Known known, ObjectNode object) {
        JsonNode references = object.path("metadata").path("ownerReferences");
        List<JsonNode> solid = new ArrayList<>();
        boolean waitedFor = false;
        for (JsonNode reference : references) {
            Optional<ObjectNode> owner = owner(object, reference);
            boolean leavingInForeground = owner.filter(
                            found -> Objects.isLeaving(found) && hasFinalizer(found, FOREGROUND))
                    .isPresent();
            if (owner.isPresent() && !leavingInForeground) {
                solid.add(reference);
            }
            waitedFor |= leavingInForeground;
        }
        if (solid.size() == references.size()) {
            return;
        }
        if (solid.isEmpty()) {
            String policy = hasFinalizer(object, ORPHAN)
                    ? "Orphan"
                    : waitedFor || hasFinalizer(object, FOREGROUND) ? "Foreground" : "Background";
            cluster.delete(known.type(), object, Optional.empty(), policy);
            return;
        }
        ObjectNode changed = object.deepCopy();
        Objects.child(changed, "metadata").putArray("ownerReferences").addAll(solid);
        api.update(known.type(), "", changed);
    }

    /** The owner itself, not another object that has taken its name. */
    private Optional<ObjectNode> owner(ObjectNode object, JsonNode reference) {
        String uid = reference.path("uid").asString("");
        Optional<ResourceType> type = type(reference);
        if (type.isEmpty()) {
            // A kind that is not served (yet) may still have owners of that uid: they keep what they own.
            return Optional.of(Objects.JSON.objectNode());
        }
        String namespace = type.get().namespaced() ? Objects.namespace(object) : "";
        return api.get(type.get(), namespace, reference.path("name").asString(""))
                .filter(owner -> Objects.uid(owner).equals(uid));
    }

    private Optional<ResourceType> type(JsonNode reference) {
        String apiVersion = reference.path("apiVersion").asString("");
        String group = apiVersion.contains("/") ? apiVersion.substring(0, apiVersion.indexOf('/')) : "";
        return watched.values().stream()
                .filter(type -> type.group().equals(group)
                        && type.kind().equals(reference.path("kind").asString("")))
                .findFirst();
    }

    private void orphan(Known known, ObjectNode owner) {
        String uid = Objects.uid(owner);
        for (Map.Entry<Known, ObjectNode> dependent : dependentsOf(uid).entrySet()) {
            ObjectNode changed = dependent.getValue().deepCopy();
            Objects.array(Objects.child(changed, "metadata"), "ownerReferences")
                    .removeIf(reference -> reference.path("uid").asString("").equals(uid));
            api.update(dependent.getKey().type(), "", changed);
        }
        removeFinalizer(known, owner, ORPHAN);
    }

    private void holdUntilDependentsAreGone(Known known, ObjectNode owner) {
        boolean blocked = false;
        for (Map.Entry<Known, ObjectNode> dependent :
                dependentsOf(Objects.uid(owner)).entrySet()) {
            blocked |= blocks(dependent.getValue(), Objects.uid(owner));
            if (!Objects.isLeaving(dependent.getValue())) {
                collect(dependent.getKey(), dependent.getValue());
            }
        }
        if (!blocked) {
            removeFinalizer(known, owner, FOREGROUND);
        }
    }

    private static boolean blocks(ObjectNode dependent, String owner) {
        for (JsonNode reference : dependent.path("metadata").path("ownerReferences")) {
            if (reference.path("uid").asString("").equals(owner)) {
                return reference.path("blockOwnerDeletion").asBoolean(false);
            }
        }
        return false;
    }

    private Map<Known, ObjectNode> dependentsOf(String owner) {
        Map<Known, ObjectNode> found = new LinkedHashMap<>();
        for (String uid : List.copyOf(dependents.getOrDefault(owner, new TreeSet<>()))) {
            Known known = objects.get(uid);
            if (known != null) {
                api.get(known.type(), known.namespace(), known.name())
                        .filter(object -> Objects.uid(object).equals(uid))
                        .ifPresent(object -> found.put(known, object));
            }
        }
        return found;
    }

    private static boolean hasFinalizer(ObjectNode object, String finalizer) {
        return object.path("metadata")
                .path("finalizers")
                .valueStream()
                .anyMatch(name -> name.asString("").equals(finalizer));
    }

    private void removeFinalizer(Known known, ObjectNode object, String finalizer) {
        ObjectNode changed = object.deepCopy();
        Objects.array(Objects.child(changed, "metadata"), "finalizers")
                .removeIf(name -> name.asString("").equals(finalizer));
        try {
            api.update(known.type(), "", changed);
        } catch (ApiFailure failure) {
            if (!failure.reason().equals("NotFound")) {
                throw failure;
            }
        }
    }
}
