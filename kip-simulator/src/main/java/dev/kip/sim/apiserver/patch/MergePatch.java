package dev.kip.sim.apiserver.patch;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON merge patch (RFC 7386). */
public final class MergePatch {

    private MergePatch() {}

    /** @return a new tree, which shares what does not change with {@code target}; neither argument is changed */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        if (target instanceof ObjectNode object) {
            result.setAll(object);
        }
        changes.forEachEntry((name, value) -> {
            if (value.isNull()) {
                result.remove(name);
            } else {
                result.set(name, apply(result.path(name), value));
            }
        });
        return result;
    }
}
