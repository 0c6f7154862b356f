package dev.kip.sim.workloads;

import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import com.google.common.primitives.UnsignedInts;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Pod templates: their hash, and pods made from them. */
final class Template {

    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private Template() {}

    /** A short name-safe hash of the template's content, whatever the order of its fields. */
    static String hash(JsonNode template, int collisions) {
        StringBuilder text = new StringBuilder();
        canonical(template, text);
        HashCode hash = Hashing.murmur3_32_fixed()
                .hashString(collisions == 0 ? text : text.append(collisions), StandardCharsets.UTF_8);
        StringBuilder name = new StringBuilder();
        for (char digit : UnsignedInts.toString(hash.asInt()).toCharArray()) {
            name.append(ALPHABET.charAt(digit % ALPHABET.length()));
        }
        return name.toString();
    }

    /** A pod of the template, owned by a controller; the server completes its name. */
    static ObjectNode pod(JsonNode template, ObjectNode owner, String apiVersion, String kind) {
        ObjectNode pod = Objects.JSON.objectNode().put("kind", "Pod").put("apiVersion", "v1");
        ObjectNode metadata = pod.putObject("metadata").put("generateName", Objects.name(owner) + "-");
        for (String field : new String[] {"labels", "annotations", "finalizers"}) {
            if (template.path("metadata").has(field)) {
                metadata.set(field, template.path("metadata").get(field).deepCopy());
            }
        }
        metadata.putArray("ownerReferences").add(Objects.controllerReference(owner, apiVersion, kind));
        pod.set("spec", template.path("spec").deepCopy());
        return pod;
    }

    private static void canonical(JsonNode node, StringBuilder text) {
        if (node instanceof ObjectNode object) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            object.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
            text.append('{');
            sorted.forEach((key, value) -> {
                text.append(key).append(':');
                canonical(value, text);
                text.append(',');
            });
            text.append('}');
        } else if (node instanceof ArrayNode array) {
            text.append('[');
            array.forEach(value -> {
                canonical(value, text);
                text.append(',');
            });
            text.append(']');
        } else {
            text.append(node);
        }
    }
}
