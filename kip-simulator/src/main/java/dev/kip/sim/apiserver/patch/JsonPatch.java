package dev.kip.sim.apiserver.patch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON patch (RFC 6902), as strict as the API server: no parents are made up, a missing member cannot be removed. */
public final class JsonPatch {

    /** Numbers are equal by value: 1 and 1.0 are the same JSON number. */
    private static final Comparator<JsonNode> BY_VALUE = (left, right) -> left.equals(right)
                    || (left.isNumber()
                            && right.isNumber()
                            && left.decimalValue().compareTo(right.decimalValue()) == 0)
            ? 0
            : 1;

    /** Operations the server accepts in one patch. */
    private static final int MOST_OPERATIONS = 10_000;

    private JsonNode document;

    private JsonPatch(JsonNode document) {
        this.document = document;
    }

    /** @return a new tree; neither argument is changed */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ArrayNode operations)) {
            throw PatchFailed.malformed(
                    "error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch");
        }
        if (operations.size() > MOST_OPERATIONS) {
            throw PatchFailed.malformed("The allowed maximum operations in a JSON patch is " + MOST_OPERATIONS
                    + ", got " + operations.size());
        }
        JsonPatch state = new JsonPatch(target.deepCopy());
        for (JsonNode operation : operations) {
            state.perform(operation);
        }
        return state.document;
    }

    private void perform(JsonNode operation) {
        String op = operation.path("op").asString("");
        String path = operation.path("path").asString("");
        switch (op) {
            case "add" -> add(path, value(operation, path));
            case "remove" -> remove(path);
            case "replace" -> replace(path, value(operation, path));
            case "move" -> {
                JsonNode moved = find(from(operation)).deepCopy();
                remove(from(operation));
                add(path, moved);
            }
            case "copy" -> add(path, find(from(operation)).deepCopy());
            case "test" -> test(path, operation.path("value"));
            default -> throw PatchFailed.inapplicable("Unexpected kind: " + (op.isEmpty() ? "unknown" : op));
        }
    }

    private static JsonNode value(JsonNode operation, String path) {
        JsonNode value = operation.path("value");
        if (value.isMissingNode()) {
            throw PatchFailed.inapplicable("missing value for path: " + path);
        }
        return value.deepCopy();
    }

    private static String from(JsonNode operation) {
        if (!operation.path("from").isString()) {
            throw PatchFailed.inapplicable("operation requires \"from\"");
        }
        return operation.path("from").stringValue();
    }

    private void add(String path, JsonNode value) {
        ImmutableList<String> steps = steps(path);
        if (steps.isEmpty()) {
            document = value;
            return;
        }
        String last = steps.get(steps.size() - 1);
        JsonNode parent = parent(path, steps, "add");
        if (parent instanceof ObjectNode object) {
            object.set(last, value);
        } else if (parent instanceof ArrayNode array) {
            array.insert(last.equals("-") ? array.size() : index(array, last, array.size(), path), value);
        } else {
            throw missing("add", path);
        }
    }

    private void remove(String path) {
        ImmutableList<String> steps = steps(path);
        if (steps.isEmpty()) {
            throw missing("remove", path);
        }
        String last = steps.get(steps.size() - 1);
        JsonNode parent = parent(path, steps, "remove");
        if (parent instanceof ObjectNode object && object.has(last)) {
            object.remove(last);
        } else if (parent instanceof ArrayNode array) {
            array.remove(index(array, last, array.size() - 1, path));
        } else {
            throw PatchFailed.inapplicable("Unable to remove nonexistent key: " + last + ": missing value");
        }
    }

    private void replace(String path, JsonNode value) {
        ImmutableList<String> steps = steps(path);
        if (steps.isEmpty()) {
            document = value;
            return;
        }
        String last = steps.get(steps.size() - 1);
        JsonNode parent = parent(path, steps, "replace");
        if (parent instanceof ObjectNode object) {
            // The server's library does not mind that there is nothing to replace.
            object.set(last, value);
        } else if (parent instanceof ArrayNode array) {
            array.set(index(array, last, array.size() - 1, path), value);
        }
    }

    private void test(String path, JsonNode expected) {
        JsonNode actual = document;
        for (String step : steps(path)) {
            actual = step(actual, step);
        }
        boolean bothAbsent =
                (actual.isMissingNode() || actual.isNull()) && (expected.isMissingNode() || expected.isNull());
        if (!bothAbsent && !actual.equals(BY_VALUE, expected)) {
            throw PatchFailed.inapplicable("testing value " + path + " failed: test failed");
        }
    }

    private JsonNode find(String path) {
        JsonNode node = document;
        for (String step : steps(path)) {
            node = step(node, step);
        }
        if (node.isMissingNode()) {
            throw missing("copy", path);
        }
        return node;
    }

    private JsonNode parent(String path, ImmutableList<String> steps, String operation) {
        JsonNode node = document;
        for (String step : steps.subList(0, steps.size() - 1)) {
            node = step(node, step);
        }
        if (!node.isContainer()) {
            throw missing(operation, path);
        }
        return node;
    }

    private static JsonNode step(JsonNode node, String step) {
        if (node instanceof ArrayNode array) {
            return step.matches("0|[1-9][0-9]{0,8}")
                    ? array.path(Integer.parseInt(step))
                    : JsonNodeFactory.instance.missingNode();
        }
        return node.path(step);
    }

    private static int index(ArrayNode array, String step, int highest, String path) {
        if (!step.matches("0|[1-9][0-9]{0,8}") || Integer.parseInt(step) > highest) {
            throw PatchFailed.inapplicable("Unable to access invalid index: " + step + " of " + array.size() + " at "
                    + path + ": invalid index referenced");
        }
        return Integer.parseInt(step);
    }

    private static PatchFailed missing(String operation, String path) {
        return PatchFailed.inapplicable(
                operation + " operation does not apply: doc is missing path: \"" + path + "\": missing value");
    }

    private static ImmutableList<String> steps(String path) {
        if (path.isEmpty()) {
            return ImmutableList.of();
        }
        if (!path.startsWith("/")) {
            throw PatchFailed.inapplicable("path does not start with '/': " + path);
        }
        return Splitter.on('/')
                .splitToStream(path.substring(1))
                .map(step -> step.replace("~1", "/").replace("~0", "~"))
                .collect(ImmutableList.toImmutableList());
    }
}
