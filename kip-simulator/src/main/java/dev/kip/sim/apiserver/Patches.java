package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.patch.JsonPatch;
import dev.kip.sim.apiserver.patch.MergePatch;
import dev.kip.sim.apiserver.patch.PatchFailed;
import dev.kip.sim.apiserver.patch.StrategicMergePatch;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.schema.Findings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Applies a patch of any format and fits the result to its kind. */
final class Patches {

    private static final String JSON_PATCH = "application/json-patch+json";
    private static final String MERGE_PATCH = "application/merge-patch+json";
    private static final String STRATEGIC = "application/strategic-merge-patch+json";
    private static final String APPLY = "application/apply-patch+yaml";

    private Patches() {}

    /** @param kind of the object that is patched, which decides how a strategic patch merges lists */
    static ObjectNode apply(Request request, String kind, ObjectNode present) {
        String type = Bodies.mediaType(request.contentType());
        JsonNode patch = Bodies.any(request.call().body(), kind);
        try {
            JsonNode patched = switch (type) {
                case JSON_PATCH -> JsonPatch.apply(present, patch);
                case MERGE_PATCH -> MergePatch.apply(present, object(patch));
                default -> StrategicMergePatch.apply(kind, present, object(patch));
            };
            if (patched instanceof ObjectNode object) {
                return object;
            }
            throw Failures.unprocessable();
        } catch (PatchFailed failed) {
            throw switch (failed.fault()) {
                case MALFORMED -> Failures.badRequest(failed.text());
                case INAPPLICABLE -> Failures.unprocessable();
                case KEYLESS -> Failures.unknown(failed.text());
            };
        }
    }

    private static ObjectNode object(JsonNode patch) {
        if (patch instanceof ObjectNode object) {
            return object;
        }
        throw Failures.badRequest("error decoding patch: json: cannot unmarshal " + patch.getNodeType()
                + " into Go value of type map[string]interface {}");
    }

    static boolean isApply(Request request) {
        return request.call().method().equals("PATCH")
                && Bodies.mediaType(request.contentType()).equals(APPLY);
    }

    /** Refuses a format that the resource does not take; before anything else, also if there is no such object. */
    static void checkType(Request request) {
        String type = Bodies.mediaType(request.contentType());
        boolean custom = request.resource().custom() && !request.subresource().equals("scale");
        ImmutableList<String> accepted = custom
                ? ImmutableList.of(JSON_PATCH, MERGE_PATCH, APPLY)
                : ImmutableList.of(JSON_PATCH, MERGE_PATCH, STRATEGIC, APPLY);
        if (type.equals(APPLY)
                && !request.subresource().isEmpty()
                && !request.subresource().equals("status")) {
            throw Failures.notImplemented(
                    "this API server applies whole objects and their status, not their " + request.subresource());
        }
        if (!accepted.contains(type)) {
            throw custom ? Failures.unsupportedMediaType(accepted) : Failures.unroutedMediaType();
        }
    }

    /** A patched object that its kind cannot hold is the patch's fault: 422, unlike a body that cannot be decoded. */
    static ObjectNode fit(Resource resource, ObjectNode patched, WriteContext context) {
        try {
            return Bodies.fit(resource, patched, new Findings(), context);
        } catch (ApiFailure undecodable) {
            FieldErrors errors = new FieldErrors();
            String message = undecodable.status().path("message").asString("");
            String reason = message.substring(message.indexOf(": ") + 2);
            errors.invalid("patch", FieldErrors.quoted(patched.toString()), reason);
            throw Failures.invalid("", "", "", errors.causes());
        }
    }
}
