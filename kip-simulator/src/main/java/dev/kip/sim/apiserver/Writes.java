package dev.kip.sim.apiserver;

import dev.kip.sim.apiserver.kinds.Metadata;
import dev.kip.sim.apiserver.kinds.Traits;
import dev.kip.sim.apiserver.kinds.Traits.Generation;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Creates and updates: defaults, admission, validation, versions, and the commit. Trees are in the resource's version. */
final class Writes {

    /** Attempts to find a free generated name. */
    private static final int NAME_ATTEMPTS = 8;

    private final Core core;
    private final Admission admission;
    private final FieldManagers managers;

    Writes(Core core, Admission admission) {
        this.core = core;
        this.admission = admission;
        this.managers = new FieldManagers(core);
    }

    /** Which part of an object a write may change. */
    enum Part {
        /** All of it, but status where that is a subresource. */
        MAIN,
        STATUS,
        /** What the server itself changes: nothing is put back. */
        ANY
    }

    /** @param body taken over; already fitted to the resource */
    Versioned create(Resource resource, String namespace, ObjectNode body, WriteContext context) {
        ResourceType type = resource.type();
        ObjectNode object = resource.toStored().apply(body);
        ObjectNode metadata = object.withObjectProperty("metadata");
        placeIn(resource, namespace, metadata);
        admission.checkNamespace(resource, namespace, metadata);
        String prefix = metadata.path("generateName").asString("");
        boolean generated = metadata.path("name").asString("").isEmpty() && !prefix.isEmpty();
        if (generated) {
            metadata.put("name", freeName(resource, namespace, prefix));
        }
        if (!metadata.path("resourceVersion").asString("").isEmpty()) {
            throw Failures.unknown("resourceVersion should not be set on objects to be created");
        }
        metadata.remove(List.of("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"));
        metadata.put("uid", core.uid()).put("creationTimestamp", core.timestamp());
        Traits traits = resource.strategy().traits();
        if (traits.generation() != Generation.NONE) {
            metadata.put("generation", 1);
        }
        if (traits.status() && !traits.keepsStatusOnCreate()) {
            object.remove("status");
        }
        resource.strategy().fillDefaults(object);
        managers.onCreate(resource, object, context);
        admission.onCreate(resource, namespace, object);
        resource.strategy().beforeCreate(object);
        FieldErrors errors = new FieldErrors();
        Metadata.validate(object, traits, resource.core(), errors);
        resource.strategy().validate(object, errors);
        refuse(resource, object, errors);
        String name = metadata.path("name").asString("");
        if (resource.find(namespace, name).isPresent()) {
            throw Failures.alreadyExists(type, name);
        }
        if (context.dryRun()) {
            return Versioned.draft(resource.key(namespace, name), object);
        }
        return core.store().put(resource.shelf(), resource.key(namespace, name), object);
    }

    private String freeName(Resource resource, String namespace, String prefix) {
        String name = core.generated(prefix);
        for (int i = 1; i < NAME_ATTEMPTS && resource.find(namespace, name).isPresent(); i++) {
            name = core.generated(prefix);
        }
        return name;
    }

    private static void placeIn(Resource resource, String namespace, ObjectNode metadata) {
        String given = metadata.path("namespace").asString("");
        if (!resource.type().namespaced()) {
            metadata.remove("namespace");
        } else if (given.isEmpty()) {
            metadata.put("namespace", namespace);
        } else if (!given.equals(namespace)) {
            throw Failures.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
    }

    /**
     * Changes an object.
     *
     * @param replaces whether the body stands for itself (PUT), so that it must say which version it replaces
     * @param change makes the new tree, a tree of its own, from the present one
     * @return what is stored now; the last state, if the change ended a deletion that was under way
     */
    Versioned update(
            Resource resource,
            String namespace,
            String name,
            Part part,
            boolean replaces,
            UnaryOperator<ObjectNode> change,
            WriteContext context) {
        Versioned old = resource.existing(namespace, name);
        ObjectNode object =
                resource.toStored().apply(change.apply(resource.shown(old).object()));
        ObjectNode before = old.object();
        checkIdentity(resource, namespace, name, object, before, replaces);
        keepSystemFields(part, object, before);
        ObjectNode next = restrictTo(part, resource, object, before);
        if (part == Part.MAIN || resource.custom()) {
            resource.strategy().fillDefaults(next);
        }
        managers.onUpdate(resource, replaces, next, before, context);
        if (part == Part.MAIN) {
            resource.strategy().beforeUpdate(next, before);
            admission.onUpdate(resource, next, before);
        } else if (part == Part.STATUS) {
            resource.strategy().beforeStatusUpdate(next, before);
        }
        if (part == Part.MAIN) {
            raiseGeneration(resource.strategy().traits(), next, before);
        }
        if (next.equals(before)) {
            return old;
        }
        validateUpdate(resource, part, next, before);
        String key = resource.key(namespace, name);
        if (context.dryRun()) {
            return Versioned.draft(key, next);
        }
        if (Deletions.isFinished(resource, next)) {
            return endDeletion(resource, key, next);
        }
        return core.store().put(resource.shelf(), key, next);
    }

    /** The answer still has the version of the last stored state; only the event has that of the deletion. */
    private Versioned endDeletion(Resource resource, String key, ObjectNode last) {
        core.store().delete(resource.shelf(), key);
        return Versioned.draft(key, last);
    }

    private void validateUpdate(Resource resource, Part part, ObjectNode next, ObjectNode before) {
        FieldErrors errors = new FieldErrors();
        Metadata.validate(next, resource.strategy().traits(), resource.core(), errors);
        Metadata.validateUpdate(next, before, errors);
        if (resource.core()) {
            // The real server checks these twice for kinds that are compiled in, and says so twice.
            Metadata.validateUpdate(next, before, errors);
        }
        if (part == Part.MAIN || (part == Part.STATUS && resource.custom())) {
            resource.strategy().validate(next, errors);
        }
        if (part == Part.MAIN) {
            resource.strategy().validateUpdate(next, before, errors);
        }
        refuse(resource, next, errors);
    }

    private static void refuse(Resource resource, ObjectNode object, FieldErrors errors) {
        if (!errors.isEmpty()) {
            JsonNode metadata = object.path("metadata");
            String name =
                    metadata.path("name").asString(metadata.path("generateName").asString(""));
            throw Failures.invalid(resource.type().group(), resource.type().kind(), name, errors.causes());
        }
    }

    private static void checkIdentity(
            Resource resource, String namespace, String name, ObjectNode object, ObjectNode before, boolean replaces) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        String givenName = metadata.path("name").asString("");
        if (givenName.isEmpty()) {
            metadata.put("name", name);
        } else if (!givenName.equals(name)) {
            throw Failures.badRequest(
                    "the name of the object (" + givenName + ") does not match the name on the URL (" + name + ")");
        }
        placeIn(resource, namespace, metadata);
        JsonNode current = before.path("metadata");
        String uid = metadata.path("uid").asString("");
        if (!uid.isEmpty() && !uid.equals(current.path("uid").asString(""))) {
            throw Failures.conflict(
                    resource.type(),
                    name,
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: "
                            + current.path("uid").asString(""));
        }
        String version = metadata.path("resourceVersion").asString("");
        if (version.isEmpty() || version.equals("0")) {
            if (replaces && !resource.strategy().traits().unconditionalUpdate()) {
                FieldErrors errors = new FieldErrors();
                errors.invalid("metadata.resourceVersion", "0", "must be specified for an update");
                refuse(resource, object, errors);
            }
        } else if (!version.matches("[0-9]{1,19}")) {
            FieldErrors errors = new FieldErrors();
            errors.invalid(
                    "metadata.resourceVersion",
                    FieldErrors.quoted(version),
                    "strconv.ParseUint: parsing \"" + version + "\": invalid syntax");
            refuse(resource, object, errors);
        } else if (!version.equals(current.path("resourceVersion").asString(""))) {
            throw Failures.modified(resource.type(), name);
        }
        metadata.set("resourceVersion", current.path("resourceVersion"));
    }

    /** What belongs to the server stays as it is, whatever the client sends. */
    private static void keepSystemFields(Part part, ObjectNode object, ObjectNode before) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        JsonNode current = before.path("metadata");
        for (String field : List.of("uid", "creationTimestamp")) {
            restore(metadata, current, field);
        }
        if (part != Part.ANY) {
            restore(metadata, current, "generation");
        }
        if (current.has("deletionTimestamp")) {
            metadata.set("deletionTimestamp", current.path("deletionTimestamp"));
        }
        if (current.has("deletionGracePeriodSeconds") && !metadata.has("deletionGracePeriodSeconds")) {
            metadata.set("deletionGracePeriodSeconds", current.path("deletionGracePeriodSeconds"));
        }
        if (!metadata.has("generateName")) {
            restore(metadata, current, "generateName");
        }
    }

    private static ObjectNode restrictTo(Part part, Resource resource, ObjectNode object, ObjectNode before) {
        if (part == Part.MAIN && resource.strategy().traits().status()) {
            restore(object, before, "status");
        }
        if (part != Part.STATUS) {
            return object;
        }
        if (resource.custom()) {
            ObjectNode copy = before.deepCopy();
            restore(copy, object, "status");
            return copy;
        }
        ObjectNode next = object.objectNode();
        next.setAll(before);
        restore(next, object, "status");
        // Real status strategies of built-in kinds keep labels, annotations and finalizers that come along, but never
        // owners; a Deployment's labels stay.
        ObjectNode metadata = object.withObjectProperty("metadata");
        restore(metadata, before.path("metadata"), "ownerReferences");
        if (resource.type().kind().equals("Deployment")) {
            restore(metadata, before.path("metadata"), "labels");
        }
        next.set("metadata", metadata);
        return next;
    }

    static void restore(ObjectNode object, JsonNode from, String field) {
        if (from.has(field)) {
            object.set(field, from.path(field));
        } else {
            object.remove(field);
        }
    }

    private static void raiseGeneration(Traits traits, ObjectNode next, ObjectNode before) {
        boolean raised = switch (traits.generation()) {
            case NONE -> false;
            case SPEC -> !next.path("spec").equals(before.path("spec"));
            case SPEC_AND_ANNOTATIONS ->
                !next.path("spec").equals(before.path("spec"))
                        || !next.path("metadata")
                                .path("annotations")
                                .equals(before.path("metadata").path("annotations"));
            case ALL_BUT_METADATA -> !content(traits, next).equals(content(traits, before));
        };
        if (raised) {
            ObjectNode metadata = next.withObjectProperty("metadata").deepCopy();
            metadata.put(
                    "generation", before.path("metadata").path("generation").asInt(0) + 1);
            next.set("metadata", metadata);
        }
    }

    private static ObjectNode content(Traits traits, ObjectNode object) {
        ObjectNode content = object.objectNode();
        content.setAll(object);
        content.remove("metadata");
        if (traits.status()) {
            content.remove("status");
        }
        return content;
    }
}
