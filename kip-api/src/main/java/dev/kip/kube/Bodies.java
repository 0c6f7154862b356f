package dev.kip.kube;

import dev.kip.outcome.Outcome;
import tools.jackson.core.JacksonException;
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

    /** Reads a list item by item: the tree of 10,000 pods would weigh some hundred megabytes. */
    static <T> Outcome<Page<T>, KubeError> page(String what, ResourceKind<T> kind, HttpAnswer answer) {
        var page = new PageReader<>(kind);
        try {
            page.read(answer.body());
        } catch (JacksonException e) {
            return Outcome.failed(new KubeError.Garbled(
                    answer.code(),
                    what + ": wanted a JSON object, found " + KubeJson.excerpt(answer.body()) + ": "
                            + e.getOriginalMessage()));
        }
        return page.found()
                .map(Outcome::<Page<T>, KubeError>ok)
                .orElseGet(() -> Outcome.failed(new KubeError.Garbled(
                        answer.code(), what + ": wanted a list, found kind \"" + page.kindFound() + "\"")));
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
}
