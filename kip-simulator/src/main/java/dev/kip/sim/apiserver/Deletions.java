package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.store.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Deletes: at once, after a pod's grace, or when the last finalizer goes (registry/rest/delete.go). */
final class Deletions {

    private static final String FOREGROUND = "foregroundDeletion";
    private static final String ORPHAN = "orphan";
    private static final ImmutableSet<String> POLICIES = ImmutableSet.of("Background", "Foreground", "Orphan");
    private static final ImmutableSet<String> IMMORTAL = ImmutableSet.of("default", "kube-system", "kube-public");

    private final Core core;

    Deletions(Core core) {
        this.core = core;
    }

    /**
     * What a delete came to.
     *
     * @param object its last state if it is gone, otherwise its present one
     */
    record Deleted(Versioned object, boolean gone) {}

    /** Nothing holds an object that is being deleted any more. */
    static boolean isFinished(Resource resource, ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        boolean held = !metadata.path("finalizers").isEmpty()
                || metadata.path("deletionGracePeriodSeconds").asInt(0) > 0
                || (isNamespace(resource)
                        && !object.path("spec").path("finalizers").isEmpty());
        return metadata.has("deletionTimestamp") && !held;
    }

    Deleted delete(Resource resource, String namespace, String name, DeleteRequest request) {
        Versioned stored = resource.existing(namespace, name);
        checkPolicy(request.propagation());
        checkPreconditions(stored.object().path("metadata"), name, request);
        if (isNamespace(resource) && IMMORTAL.contains(name)) {
            throw Failures.forbidden(resource.type(), name, "this namespace may not be deleted", ImmutableList.of());
        }
        ObjectNode object = isNamespace(resource)
                ? Trees.changing(stored.object(), "metadata", "status")
                : Trees.changing(stored.object(), "metadata");
        ObjectNode metadata = object.withObjectProperty("metadata");
        boolean pending = metadata.has("deletionTimestamp");
        setPropagationFinalizers(metadata, request.propagation(), pending);
        int grace = graceOf(resource, object, request);
        if (pending) {
            return again(resource, stored, object, metadata, grace, request);
        }
        boolean held = !metadata.path("finalizers").isEmpty() || isNamespace(resource);
        if (grace == 0 && !held && !isGraceful(resource)) {
            return remove(resource, stored, request);
        }
        Instant end = core.now().plusSeconds(grace);
        metadata.put("deletionTimestamp", end.toString()).put("deletionGracePeriodSeconds", grace);
        if (isNamespace(resource)) {
            metadata.remove("deletionGracePeriodSeconds");
            object.withObjectProperty("status").put("phase", "Terminating");
            if (isFinished(resource, object)) {
                return remove(resource, stored, request);
            }
        }
        if (metadata.path("generation").asInt(0) > 0) {
            metadata.put("generation", metadata.path("generation").asInt(0) + 1);
        }
        return mark(resource, stored, object, request);
    }

    /** A deletion that is under way can only be hurried. */
    private Deleted again(
            Resource resource,
            Versioned stored,
            ObjectNode object,
            ObjectNode metadata,
            int grace,
            DeleteRequest request) {
        if (isFinished(resource, object)) {
            return remove(resource, stored, request);
        }
        int current = metadata.path("deletionGracePeriodSeconds").asInt(0);
        boolean shorter = (request.gracePeriodSeconds().isPresent() || grace == 0) && grace < current;
        if (shorter) {
            Instant begun = Instant.parse(metadata.path("deletionTimestamp").asString(""))
                    .minusSeconds(current);
            metadata.put("deletionTimestamp", begun.plusSeconds(grace).toString())
                    .put("deletionGracePeriodSeconds", grace);
        }
        if (object.equals(stored.object())) {
            return new Deleted(stored, false);
        }
        return mark(resource, stored, object, request);
    }

    /** Writes the mark; a pod whose grace is over is removed right after, so that watchers see both. */
    private Deleted mark(Resource resource, Versioned stored, ObjectNode object, DeleteRequest request) {
        boolean finished = isFinished(resource, object);
        if (request.dryRun()) {
            return new Deleted(Versioned.draft(stored.key(), object), finished);
        }
        Versioned marked = core.store().put(resource.shelf(), stored.key(), object);
        return finished ? remove(resource, marked, request) : new Deleted(marked, false);
    }

    private Deleted remove(Resource resource, Versioned stored, DeleteRequest request) {
        if (request.dryRun()) {
            return new Deleted(stored, true);
        }
        Optional<Versioned> last = core.store().delete(resource.shelf(), stored.key());
        return new Deleted(last.orElse(stored), true);
    }

    private static int graceOf(Resource resource, ObjectNode object, DeleteRequest request) {
        if (!isGraceful(resource)) {
            return 0;
        }
        JsonNode spec = object.path("spec");
        String phase = object.path("status").path("phase").asString("");
        if (spec.path("nodeName").asString("").isEmpty() || phase.equals("Succeeded") || phase.equals("Failed")) {
            return 0;
        }
        return request.gracePeriodSeconds()
                .orElse(Math.max(spec.path("terminationGracePeriodSeconds").asInt(30), 0));
    }

    private static void setPropagationFinalizers(ObjectNode metadata, String propagation, boolean pending) {
        if (propagation.isEmpty() || pending) {
            return;
        }
        List<String> finalizers = new ArrayList<>();
        for (JsonNode finalizer : metadata.path("finalizers")) {
            String name = finalizer.asString("");
            if (!name.equals(FOREGROUND) && !name.equals(ORPHAN)) {
                finalizers.add(name);
            }
        }
        if (propagation.equals("Foreground")) {
            finalizers.add(FOREGROUND);
        } else if (propagation.equals("Orphan")) {
            finalizers.add(ORPHAN);
        }
        if (finalizers.isEmpty()) {
            metadata.remove("finalizers");
        } else {
            ArrayNode list = metadata.putArray("finalizers");
            finalizers.forEach(list::add);
        }
    }

    private static void checkPolicy(String propagation) {
        if (!propagation.isEmpty() && !POLICIES.contains(propagation)) {
            FieldErrors errors = new FieldErrors();
            errors.notSupported(
                    "propagationPolicy", propagation, ImmutableList.of("Foreground", "Background", "Orphan", "nil"));
            throw Failures.invalid("meta.k8s.io", "DeleteOptions", "", errors.causes());
        }
    }

    private static void checkPreconditions(JsonNode metadata, String name, DeleteRequest request) {
        String uid = metadata.path("uid").asString("");
        if (request.uid().filter(wanted -> !wanted.equals(uid)).isPresent()) {
            throw Failures.preconditionFailed(
                    name,
                    "the UID in the precondition (" + request.uid().get() + ") does not match the UID in record (" + uid
                            + "). The object might have been deleted and then recreated");
        }
        String version = metadata.path("resourceVersion").asString("");
        if (request.resourceVersion().filter(wanted -> !wanted.equals(version)).isPresent()) {
            throw Failures.preconditionFailed(
                    name,
                    "the ResourceVersion in the precondition ("
                            + request.resourceVersion().get()
                            + ") does not match the ResourceVersion in record (" + version
                            + "). The object might have been modified");
        }
    }

    private static boolean isGraceful(Resource resource) {
        return resource.shelf().name().equals("pods");
    }

    private static boolean isNamespace(Resource resource) {
        return resource.shelf().name().equals("namespaces");
    }
}
