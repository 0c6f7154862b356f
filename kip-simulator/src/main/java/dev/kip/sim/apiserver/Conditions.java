package dev.kip.sim.apiserver;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code status.conditions}. */
final class Conditions {

    private Conditions() {}

    /** Sets a condition in place; its transition time moves only if its status does. */
    static void set(ObjectNode object, String type, String status, String reason, String message, String now) {
        ArrayNode conditions = object.withObjectProperty("status").withArrayProperty("conditions");
        ObjectNode condition = find(conditions, type);
        if (!condition.path("status").asString("").equals(status)) {
            condition.put("status", status).put("lastTransitionTime", now);
        }
        condition.remove(List.of("reason", "message"));
        if (!reason.isEmpty()) {
            condition.put("reason", reason).put("message", message);
        }
    }

    private static ObjectNode find(ArrayNode conditions, String type) {
        for (JsonNode each : conditions) {
            if (each.path("type").asString("").equals(type) && each instanceof ObjectNode found) {
                return found;
            }
        }
        return conditions.addObject().put("type", type);
    }
}
