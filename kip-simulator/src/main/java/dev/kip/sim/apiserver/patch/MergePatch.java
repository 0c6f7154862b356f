package dev.kip.sim.apiserver.patch;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON merge patch (RFC 7386). */
public final class MergePatch {

    private MergePatch() {}

    /** @return a new tree; neither argument is changed */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        ObjectNode result =
                target instanceof ObjectNode object ? object.deepCopy() : JsonNodeFactory.instance.objectNode();
        merge(result, changes);
        return result;
    }

    private static void merge(ObjectNode target, ObjectNode patch) {
        patch.forEachEntry((name, value) -> {
            if (value.isNull()) {
                target.remove(name);
            } else if (value instanceof ObjectNode changes) {
                ObjectNode inner = target.get(name) instanceof ObjectNode old ? old : target.putObject(name);
                merge(inner, changes);
            } else {
                target.set(name, value.deepCopy());
            }
        });
    }
}
