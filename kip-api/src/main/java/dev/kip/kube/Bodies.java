package dev.kip.kube;

import com.google.common.collect.ImmutableList;
import dev.kip.outcome.Outcome;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Decodes what the server sent. Runs off the loop. */
final class Bodies {

    private Bodies() {}

    static <T> Outcome<T, KubeError> object(String what, ResourceKind<T> kind, HttpAnswer answer) {
        return json(what, answer).fold(object -> decoded(what, kind, answer.code(), object), Outcome::failed);
    }

    static Outcome<ObjectNode, KubeError> json(String what, HttpAnswer answer) {
        return KubeJson.object(answer.body())
                .map(Outcome::<ObjectNode, KubeError>ok)
                .orElseGet(() -> Outcome.failed(new KubeError.Garbled(
                        answer.code(), what + ": wanted a JSON object, found " + KubeJson.excerpt(answer.body()))));
    }

    static <T> Outcome<Page<T>, KubeError> page(String what, ResourceKind<T> kind, HttpAnswer answer) {
        return json(what, answer).fold(list -> page(what, kind, answer.code(), list), Outcome::failed);
    }

    /** @throws RuntimeException if the codec refuses the object */
    static <T> T decode(ResourceKind<T> kind, ObjectNode object) {
        KubeJson.child(object, "metadata").ifPresent(metadata -> metadata.remove("managedFields"));
        // Items of a list come without their type.
        if (!object.has("apiVersion")) {
            object.put("apiVersion", kind.apiVersion());
        }
        if (!object.has("kind")) {
            object.put("kind", kind.kind());
        }
        return kind.codec().decode(object);
    }

    private static <T> Outcome<T, KubeError> decoded(String what, ResourceKind<T> kind, int code, ObjectNode object) {
        try {
            return Outcome.ok(decode(kind, object));
        } catch (RuntimeException e) {
            return Outcome.failed(new KubeError.Garbled(code, what + ": " + e.getMessage()));
        }
    }

    private static <T> Outcome<Page<T>, KubeError> page(String what, ResourceKind<T> kind, int code, ObjectNode list) {
        JsonNode found = list.path("items");
        // Go writes an empty list as null here and there.
        boolean array = found instanceof ArrayNode || found.isNull();
        if (!array) {
            return Outcome.failed(new KubeError.Garbled(
                    code,
                    what + ": wanted a list, found kind \"" + list.path("kind").asString("") + "\""));
        }
        var items = ImmutableList.<T>builder();
        var refused = ImmutableList.<Page.Refused>builder();
        for (JsonNode item : found) {
            if (!(item instanceof ObjectNode object)) {
                refused.add(new Page.Refused(KubeJson.refOf(item), "wanted an object, found " + item.getNodeType()));
                continue;
            }
            try {
                items.add(decode(kind, object));
            } catch (RuntimeException e) {
                refused.add(new Page.Refused(KubeJson.refOf(item), String.valueOf(e.getMessage())));
            }
        }
        JsonNode metadata = list.path("metadata");
        return Outcome.ok(new Page<>(
                items.build(),
                refused.build(),
                metadata.path("resourceVersion").asString(""),
                metadata.path("continue").asString("")));
    }
}
