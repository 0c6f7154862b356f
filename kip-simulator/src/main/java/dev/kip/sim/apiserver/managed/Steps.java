package dev.kip.sim.apiserver.managed;

import dev.kip.sim.apiserver.schema.Shape;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What lies below a value, by the step that leads there. */
final class Steps {

    private Steps() {}

    static boolean divisible(Shape.Form form) {
        return form != Shape.Form.WHOLE;
    }

    static String field(String name) {
        return "f:" + name;
    }

    static Map<String, JsonNode> of(Shape shape, JsonNode value) {
        Map<String, JsonNode> steps = new LinkedHashMap<>();
        switch (shape.form(value)) {
            case STRUCT, MAP -> value.forEachEntry((name, inner) -> steps.put(field(name), inner));
            case KEYED -> {
                for (JsonNode element : value) {
                    steps.putIfAbsent(keyed(shape, element), element);
                }
            }
            case SET -> value.forEach(element -> steps.putIfAbsent("v:" + element, element));
            case WHOLE -> {}
        }
        return steps;
    }

    static Shape below(Shape shape, String step) {
        return step.startsWith("f:") ? shape.of(step.substring(2)) : shape.element();
    }

    private static String keyed(Shape list, JsonNode element) {
        ObjectNode keys = JsonNodeFactory.instance.objectNode();
        for (String key : new TreeSet<>(list.keys())) {
            JsonNode value = element.path(key);
            if (!value.isMissingNode()) {
                keys.set(key, value);
            } else if (!list.keyDefault(key).isEmpty()) {
                keys.put(key, list.keyDefault(key));
            }
        }
        return "k:" + keys;
    }
}
