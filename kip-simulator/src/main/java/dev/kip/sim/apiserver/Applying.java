package dev.kip.sim.apiserver;

import dev.kip.sim.apiserver.managed.Applied;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Server-side apply: what may be applied, and to what. */
final class Applying {

    private final FieldManagers managers;

    Applying(Core core) {
        this.managers = new FieldManagers(core);
    }

    ObjectNode body(Request request) {
        ResourceType type = request.resource().type();
        ObjectNode applied = Bodies.applied(request.call().body(), type.kind());
        JsonNode metadata = applied.path("metadata");
        String version = applied.path("apiVersion").asString("");
        String kind = applied.path("kind").asString("");
        if (!version.equals(type.apiVersion()) || !kind.equals(type.kind())) {
            throw Failures.badRequest("invalid object type: " + FieldManagers.full(version) + ", Kind=" + kind);
        }
        if (!metadata.path("managedFields").isMissingNode()) {
            throw Failures.badRequest("metadata.managedFields must be nil");
        }
        if (metadata.path("name").asString("").isEmpty()) {
            throw Failures.badRequest("the name of the object (" + request.name()
                    + " based on URL) was undeterminable: name must be provided");
        }
        return applied;
    }

    /** The present object, or a new one, with what is applied to it. */
    ObjectNode onto(Request request, Optional<ObjectNode> present, ObjectNode applied) {
        checkUid(request, present, applied.path("metadata").path("uid").asString(""));
        return managers.apply(
                request.resource(),
                present,
                applied,
                new Applied(request.parameter("fieldManager"), request.subresource(), request.force()));
    }

    private static void checkUid(Request request, Optional<ObjectNode> present, String uid) {
        if (uid.isEmpty()) {
            return;
        }
        ResourceType type = request.resource().type();
        if (present.isEmpty()) {
            throw Failures.conflict(
                    type,
                    request.name(),
                    "uid mismatch: the provided object specified uid " + uid + ", and no existing object was found");
        }
        if (!present.get().path("metadata").path("uid").asString("").equals(uid)) {
            FieldErrors errors = new FieldErrors();
            errors.invalid("metadata.uid", FieldErrors.quoted(uid), "field is immutable");
            if (request.resource().core()) {
                // Checked twice, as by an update.
                errors.invalid("metadata.uid", FieldErrors.quoted(uid), "field is immutable");
            }
            throw Failures.invalid(type.group(), type.kind(), request.name(), errors.causes());
        }
    }
}
