package dev.kip.sim.report;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What makes one object of another, as a merge patch (RFC 7386): an object of many versions is kept in little room. */
final class MergeDiff {

    private MergeDiff() {}

    static ObjectNode between(JsonNode before, JsonNode after) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        after.properties().forEach(entry -> {
            JsonNode old = before.path(entry.getKey());
            JsonNode now = entry.getValue();
            if (old.isObject() && now.isObject()) {
                ObjectNode inner = between(old, now);
                if (!inner.isEmpty()) {
                    patch.set(entry.getKey(), inner);
                }
            } else if (!old.equals(now)) {
                patch.set(entry.getKey(), now);
            }
        });
        before.properties().forEach(entry -> {
            if (!after.has(entry.getKey())) {
                patch.putNull(entry.getKey());
            }
        });
        return patch;
    }
}
