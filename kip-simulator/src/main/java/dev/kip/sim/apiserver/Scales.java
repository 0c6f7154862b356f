package dev.kip.sim.apiserver;

import dev.kip.sim.apiserver.schema.FieldErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The {@code scale} subresource: an {@code autoscaling/v1 Scale} that stands for the replicas of another object. */
final class Scales {

    private Scales() {}

    static ObjectNode of(Resource resource, ObjectNode object) {
        ObjectNode scale = JsonNodeFactory.instance.objectNode();
        scale.put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            Writes.restore(metadata, object.path("metadata"), field);
        }
        ObjectNode spec = scale.putObject("spec");
        int replicas = find(object, path(resource, "specReplicasPath")).asInt(0);
        if (replicas != 0) {
            spec.put("replicas", replicas);
        }
        ObjectNode status = scale.putObject("status");
        status.put(
                "replicas", find(object, path(resource, "statusReplicasPath")).asInt(0));
        String selector = resource.custom()
                ? find(object, path(resource, "labelSelectorPath")).asString("")
                : selectorText(object.path("spec").path("selector"));
        if (!selector.isEmpty()) {
            status.put("selector", selector);
        }
        return scale;
    }

    /** A copy of {@code present} with the replicas, and the version if one is given, of {@code scale}. */
    static ObjectNode applied(Resource resource, ObjectNode present, ObjectNode scale) {
        JsonNode replicas = scale.path("spec").path("replicas");
        String name = present.path("metadata").path("name").asString("");
        if (replicas.asInt(0) < 0) {
            FieldErrors errors = new FieldErrors();
            errors.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
            throw Failures.invalid("autoscaling", "Scale", name, errors.causes());
        }
        ObjectNode next = present.deepCopy();
        String path = path(resource, "specReplicasPath");
        ObjectNode parent = next;
        String[] steps = path.substring(1).split("\\.", -1);
        for (int i = 0; i < steps.length - 1; i++) {
            parent = parent.withObjectProperty(steps[i]);
        }
        parent.put(steps[steps.length - 1], replicas.asInt(0));
        String version = scale.path("metadata").path("resourceVersion").asString("");
        if (!version.isEmpty()) {
            next.withObjectProperty("metadata").put("resourceVersion", version);
        }
        return next;
    }

    private static String path(Resource resource, String which) {
        return resource.scalePaths()
                .map(paths -> paths.path(which).asString(""))
                .orElse(which.startsWith("spec") ? ".spec.replicas" : ".status.replicas");
    }

    private static JsonNode find(JsonNode object, String path) {
        JsonNode node = object;
        for (String step : path.split("\\.", -1)) {
            node = step.isEmpty() ? node : node.path(step);
        }
        return node;
    }

    /** The text form of an object's selector, or of a plain map of labels. */
    static String selectorText(JsonNode selector) {
        List<String> terms = new ArrayList<>();
        boolean plain = !selector.has("matchLabels") && !selector.has("matchExpressions");
        TreeMap<String, String> labels = new TreeMap<>();
        (plain ? selector : selector.path("matchLabels"))
                .forEachEntry((key, value) -> labels.put(key, value.asString("")));
        labels.forEach((key, value) -> terms.add(key + "=" + value));
        for (JsonNode expression : selector.path("matchExpressions")) {
            String key = expression.path("key").asString("");
            List<String> values = new ArrayList<>();
            expression.path("values").forEach(value -> values.add(value.asString("")));
            terms.add(
                    switch (expression.path("operator").asString("")) {
                        case "In" -> key + " in (" + String.join(",", values) + ")";
                        case "NotIn" -> key + " notin (" + String.join(",", values) + ")";
                        case "DoesNotExist" -> "!" + key;
                        default -> key;
                    });
        }
        return String.join(",", terms);
    }
}
