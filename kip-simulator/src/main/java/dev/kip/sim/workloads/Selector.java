package dev.kip.sim.workloads;

import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Label selectors and node selector terms. */
final class Selector {

    private Selector() {}

    /** Whether a {@code LabelSelector} matches; an empty one matches everything. */
    static boolean matches(JsonNode selector, JsonNode labels) {
        return hasAll(selector.path("matchLabels"), labels)
                && all(
                        selector.path("matchExpressions"),
                        key -> labels.path(key).asString(""),
                        labels::has);
    }

    /** Whether {@code labels} hold all of a map; an empty map matches everything. */
    static boolean hasAll(JsonNode wanted, JsonNode labels) {
        for (Map.Entry<String, JsonNode> label : wanted.properties()) {
            JsonNode value = labels.path(label.getKey());
            if (value.isMissingNode()
                    || !value.asString("").equals(label.getValue().asString(""))) {
                return false;
            }
        }
        return true;
    }

    /** Whether the node meets a {@code NodeSelector}: any of its terms; a term without requirements meets nothing. */
    static boolean matchesNode(JsonNode nodeSelector, JsonNode node) {
        JsonNode labels = node.path("metadata").path("labels");
        for (JsonNode term : nodeSelector.path("nodeSelectorTerms")) {
            JsonNode expressions = term.path("matchExpressions");
            JsonNode fields = term.path("matchFields");
            if (expressions.isEmpty() && fields.isEmpty()) {
                continue;
            }
            if (all(expressions, key -> labels.path(key).asString(""), labels::has)
                    && all(fields, field -> Objects.name(node), "metadata.name"::equals)) {
                return true;
            }
        }
        return false;
    }

    private static boolean all(
            JsonNode requirements, Function<String, String> value, Function<String, Boolean> present) {
        for (JsonNode requirement : requirements) {
            String key = requirement.path("key").asString("");
            boolean has = present.apply(key);
            String actual = has ? value.apply(key) : "";
            boolean met = switch (requirement.path("operator").asString("")) {
                case "In" -> has && contains(requirement.path("values"), actual);
                case "NotIn" -> !has || !contains(requirement.path("values"), actual);
                case "Exists" -> has;
                case "DoesNotExist" -> !has;
                case "Gt" -> has && compare(actual, requirement.path("values")) > 0;
                case "Lt" -> has && compare(actual, requirement.path("values")) < 0;
                default -> false;
            };
            if (!met) {
                return false;
            }
        }
        return true;
    }

    private static boolean contains(JsonNode values, String actual) {
        for (JsonNode value : values) {
            if (value.asString("").equals(actual)) {
                return true;
            }
        }
        return false;
    }

    /** 0, which is neither more nor less, for what is no number. */
    private static int compare(String actual, JsonNode values) {
        try {
            return Long.compare(
                    Long.parseLong(actual), Long.parseLong(values.path(0).asString("")));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
