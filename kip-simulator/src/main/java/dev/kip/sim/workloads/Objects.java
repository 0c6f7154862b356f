package dev.kip.sim.workloads;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What every object has: metadata, owners, conditions. */
final class Objects {

    static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Objects() {}

    static String name(JsonNode object) {
        return object.path("metadata").path("name").asString("");
    }

    static String namespace(JsonNode object) {
        return object.path("metadata").path("namespace").asString("");
    }

    static String uid(JsonNode object) {
        return object.path("metadata").path("uid").asString("");
    }

    /** Our own server counts versions up. */
    static long version(JsonNode object) {
        return Long.parseLong(object.path("metadata").path("resourceVersion").asString("0"));
    }

    static long generation(JsonNode object) {
        return object.path("metadata").path("generation").asLong(0);
    }

    static boolean isLeaving(JsonNode object) {
        return object.path("metadata").hasNonNull("deletionTimestamp");
    }

    static Instant created(JsonNode object) {
        return instant(object.path("metadata").path("creationTimestamp")).orElse(Instant.EPOCH);
    }

    static Optional<Instant> instant(JsonNode value) {
        String text = value.asString("");
        return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
    }

    /** As Kubernetes writes times: whole seconds. */
    static String stamp(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static String annotation(JsonNode object, String key) {
        return object.path("metadata").path("annotations").path(key).asString("");
    }

    static String label(JsonNode object, String key) {
        return object.path("metadata").path("labels").path(key).asString("");
    }

    /** The reference to the controller that owns the object. */
    static Optional<JsonNode> controller(JsonNode object) {
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean(false)) {
                return Optional.of(owner);
            }
        }
        return Optional.empty();
    }

    static String controllerUid(JsonNode object) {
        return controller(object).map(owner -> owner.path("uid").asString("")).orElse("");
    }

    /** A reference that makes {@code owner} the controller of whoever carries it. */
    static ObjectNode controllerReference(ObjectNode owner, String apiVersion, String kind) {
        return JSON.objectNode()
                .put("apiVersion", apiVersion)
                .put("kind", kind)
                .put("name", name(owner))
                .put("uid", uid(owner))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }

    static Optional<JsonNode> condition(JsonNode object, String type) {
        for (JsonNode condition : object.path("status").path("conditions")) {
            if (condition.path("type").asString("").equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    static String conditionStatus(JsonNode object, String type) {
        return condition(object, type)
                .map(condition -> condition.path("status").asString(""))
                .orElse("");
    }

    /**
     * Sets a condition in {@code status.conditions}; its transition time changes only with its status.
     *
     * @return whether it was otherwise before
     */
    static boolean setCondition(
            ObjectNode object, String type, String status, String reason, String message, Instant now) {
        ObjectNode owner = child(object, "status");
        ArrayNode conditions = array(owner, "conditions");
        ObjectNode found = null;
        for (JsonNode condition : conditions) {
            if (condition.path("type").asString("").equals(type)) {
                found = (ObjectNode) condition;
            }
        }
        if (found == null) {
            found = conditions.addObject().put("type", type);
        } else if (found.path("status").asString("").equals(status)
                && found.path("reason").asString("").equals(reason)
                && found.path("message").asString("").equals(message)) {
            return false;
        }
        if (!found.path("status").asString("").equals(status)) {
            found.put("lastTransitionTime", stamp(now));
        }
        found.put("status", status).put("reason", reason).put("message", message);
        return true;
    }

    /** As the JSON parser would have it, so that trees from both sides can be compared. */
    static JsonNode number(long value) {
        return (int) value == value ? JSON.numberNode((int) value) : JSON.numberNode(value);
    }

    /** Zero is left out, as in the real status. */
    static void count(ObjectNode status, String field, int count) {
        if (count == 0) {
            status.remove(field);
        } else {
            status.put(field, count);
        }
    }

    static ObjectNode child(ObjectNode object, String field) {
        return object.get(field) instanceof ObjectNode present ? present : object.putObject(field);
    }

    static ArrayNode array(ObjectNode object, String field) {
        return object.get(field) instanceof ArrayNode present ? present : object.putArray(field);
    }
}
