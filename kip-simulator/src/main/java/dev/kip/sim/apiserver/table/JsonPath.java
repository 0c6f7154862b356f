package dev.kip.sim.apiserver.table;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The JSONPath of printer columns: {@code .spec.nodeName}, {@code .metadata.labels['a\.b/c']}, {@code .list[0]},
 * {@code .list[-1:]}, {@code .list[*].name} and {@code .conditions[?(@.type=="Ready")].status}.
 */
final class JsonPath {

    /** One step from nodes to nodes. */
    private interface Step {
        void from(JsonNode node, List<JsonNode> found);
    }

    private final ImmutableList<Step> steps;

    private JsonPath(ImmutableList<Step> steps) {
        this.steps = steps;
    }

    /** @throws IllegalArgumentException if {@code text} is no path of the form above */
    static JsonPath parse(String text) {
        String path = text.startsWith("{") && text.endsWith("}") ? text.substring(1, text.length() - 1) : text;
        path = path.startsWith("$") ? path.substring(1) : path;
        ImmutableList.Builder<Step> steps = ImmutableList.builder();
        int at = 0;
        while (at < path.length()) {
            if (path.charAt(at) == '.') {
                int end = endOfName(path, at + 1);
                String name = path.substring(at + 1, end).replace("\\", "");
                if (!name.isEmpty()) {
                    steps.add(name.equals("*") ? JsonPath::all : field(name));
                }
                at = end;
            } else if (path.charAt(at) == '[') {
                int end = endOfBracket(path, at);
                steps.add(bracket(path.substring(at + 1, end).trim(), text));
                at = end + 1;
            } else {
                throw new IllegalArgumentException("expected . or [ at " + at + " of JSONPath " + text);
            }
        }
        return new JsonPath(steps.build());
    }

    /** What the path leads to; the first, as printer columns have it. */
    Optional<JsonNode> first(JsonNode root) {
        List<JsonNode> nodes = all(root);
        return nodes.isEmpty() ? Optional.empty() : Optional.of(nodes.get(0));
    }

    /** Everything that the path leads to. */
    List<JsonNode> all(JsonNode root) {
        List<JsonNode> nodes = List.of(root);
        for (Step step : steps) {
            List<JsonNode> found = new ArrayList<>();
            nodes.forEach(node -> step.from(node, found));
            nodes = found;
        }
        return nodes.stream()
                .filter(node -> !node.isNull() && !node.isMissingNode())
                .toList();
    }

    private static int endOfName(String path, int start) {
        int end = start;
        while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
            end += path.charAt(end) == '\\' ? 2 : 1;
        }
        return Math.min(end, path.length());
    }

    private static int endOfBracket(String path, int start) {
        boolean quoted = false;
        char quote = 0;
        for (int at = start + 1; at < path.length(); at++) {
            char c = path.charAt(at);
            if (quoted) {
                quoted = c != quote;
            } else if (c == '\'' || c == '"') {
                quoted = true;
                quote = c;
            } else if (c == ']') {
                return at;
            }
        }
        throw new IllegalArgumentException("no ] in JSONPath " + path);
    }

    private static Step bracket(String inside, String text) {
        if (inside.startsWith("'") || inside.startsWith("\"")) {
            return field(inside.substring(1, inside.length() - 1).replace("\\", ""));
        }
        if (inside.startsWith("?(") && inside.endsWith(")")) {
            return filter(inside.substring(2, inside.length() - 1).trim(), text);
        }
        if (inside.equals("*")) {
            return JsonPath::all;
        }
        try {
            return index(Integer.parseInt(inside.endsWith(":") ? inside.substring(0, inside.length() - 1) : inside));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("[" + inside + "] is not understood in JSONPath " + text, e);
        }
    }

    private static Step filter(String condition, String text) {
        boolean equal = condition.contains("==");
        if (!equal && !condition.contains("!=")) {
            JsonPath present = parse(condition.substring(1));
            return (node, found) -> node.forEach(element -> {
                if (present.first(element).isPresent()) {
                    found.add(element);
                }
            });
        }
        int operator = condition.indexOf(equal ? "==" : "!=");
        if (!condition.startsWith("@")) {
            throw new IllegalArgumentException("a filter must begin with @ in JSONPath " + text);
        }
        JsonPath left = parse(condition.substring(1, operator).trim());
        String right = condition.substring(operator + 2).trim();
        String wanted = right.matches("^(['\"]).*\\1$") ? right.substring(1, right.length() - 1) : right;
        return (node, found) -> node.forEach(element -> {
            boolean same = left.first(element)
                    .filter(value -> value.asString("").equals(wanted))
                    .isPresent();
            if (same == equal) {
                found.add(element);
            }
        });
    }

    private static Step field(String name) {
        return (node, found) -> {
            if (node.has(name)) {
                found.add(node.get(name));
            }
        };
    }

    private static Step index(int index) {
        return (node, found) -> {
            int at = index < 0 ? node.size() + index : index;
            if (node.isArray() && at >= 0 && at < node.size()) {
                found.add(node.get(at));
            }
        };
    }

    private static void all(JsonNode node, List<JsonNode> found) {
        node.forEach(found::add);
    }
}
