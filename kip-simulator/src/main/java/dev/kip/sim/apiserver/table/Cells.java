package dev.kip.sim.apiserver.table;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Texts that the cells of several kinds have in common. */
final class Cells {

    static final String NONE = "<none>";

    private Cells() {}

    static String text(JsonNode item, String pointer) {
        return item.at(pointer).asString("");
    }

    static String textOr(JsonNode item, String pointer, String otherwise) {
        String text = text(item, pointer);
        return text.isEmpty() ? otherwise : text;
    }

    static String age(JsonNode item, Instant now) {
        return since(item, "/metadata/creationTimestamp", now);
    }

    static String since(JsonNode item, String pointer, Instant now) {
        return HumanDuration.since(text(item, pointer), now);
    }

    static String joined(JsonNode list, String field) {
        List<String> parts = new ArrayList<>();
        list.forEach(element -> parts.add(element.path(field).asString("")));
        return String.join(",", parts);
    }

    static String joinedOr(JsonNode list, String otherwise) {
        List<String> parts = new ArrayList<>();
        list.forEach(element -> parts.add(element.asString("")));
        return parts.isEmpty() ? otherwise : String.join(",", parts);
    }

    /** The status of the condition of this type; empty if there is none. */
    static String condition(JsonNode item, String type) {
        for (JsonNode condition : item.at("/status/conditions")) {
            if (condition.path("type").asString("").equals(type)) {
                return condition.path("status").asString("");
            }
        }
        return "";
    }

    /** A map of labels as {@code a=b,c=d}. */
    static String labels(JsonNode labels) {
        TreeMap<String, String> sorted = new TreeMap<>();
        labels.properties()
                .forEach(label -> sorted.put(label.getKey(), label.getValue().asString("")));
        if (sorted.isEmpty()) {
            return NONE;
        }
        List<String> parts = new ArrayList<>();
        sorted.forEach((key, value) -> parts.add(key + "=" + value));
        return String.join(",", parts);
    }

    /** A {@code LabelSelector} in the language of {@code -l}. */
    static String selector(JsonNode selector) {
        TreeMap<String, String> parts = new TreeMap<>();
        selector.path("matchLabels")
                .properties()
                .forEach(label -> parts.put(
                        label.getKey() + "=",
                        label.getKey() + "=" + label.getValue().asString("")));
        for (JsonNode expression : selector.path("matchExpressions")) {
            String key = expression.path("key").asString("");
            List<String> values = new ArrayList<>();
            expression.path("values").forEach(value -> values.add(value.asString("")));
            values.sort(null);
            String in = " (" + String.join(",", values) + ")";
            String text = switch (expression.path("operator").asString("")) {
                case "In" -> key + " in" + in;
                case "NotIn" -> key + " notin" + in;
                case "DoesNotExist" -> "!" + key;
                default -> key;
            };
            parts.put(key + " " + text, text);
        }
        return parts.isEmpty() ? NONE : String.join(",", parts.values());
    }

    /** {@code True}, {@code False}, or {@code <unset>}. */
    static String flag(JsonNode value) {
        if (!value.isBoolean()) {
            return "<unset>";
        }
        return value.asBoolean() ? "True" : "False";
    }

    static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
