package dev.kip.sim.apiserver.patch;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Strategic merge patch with all its directives (k8s.io/apimachinery/pkg/util/strategicpatch). */
public final class StrategicMergePatch {

    private static final String DIRECTIVE = "$patch";
    private static final String RETAIN_KEYS = "$retainKeys";
    private static final String ELEMENT_ORDER = "$setElementOrder/";
    private static final String DELETE_PRIMITIVES = "$deleteFromPrimitiveList/";

    private final String kind;

    private StrategicMergePatch(String kind) {
        this.kind = kind;
    }

    /**
     * @param kind of the object, which decides how its lists merge
     * @return a new tree, which shares what does not change with {@code target}; neither argument is changed
     */
    public static ObjectNode apply(String kind, ObjectNode target, ObjectNode patch) {
        ObjectNode result = copyOf(target);
        new StrategicMergePatch(kind).mergeObject(result, patch, "");
        return result;
    }

    private void mergeObject(ObjectNode target, ObjectNode patch, String field) {
        JsonNode directive = patch.path(DIRECTIVE);
        if (!directive.isMissingNode()) {
            switch (directive.asString("")) {
                case "delete" -> {
                    target.removeAll();
                    return;
                }
                case "replace" -> target.removeAll();
                case "merge" -> {}
                default ->
                    throw PatchFailed.malformed("Unknown patch type: " + directive.asString("") + " in map: " + patch);
            }
        }
        retainKeys(target, patch);
        for (String name : fieldsOf(patch)) {
            mergeField(target, patch, field, name);
        }
    }

    /** The fields that a patch changes, including those of which it only says the order or what to drop. */
    private static Set<String> fieldsOf(ObjectNode patch) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : patch.propertyNames()) {
            if (name.startsWith(ELEMENT_ORDER)) {
                names.add(name.substring(ELEMENT_ORDER.length()));
            } else if (name.startsWith(DELETE_PRIMITIVES)) {
                names.add(name.substring(DELETE_PRIMITIVES.length()));
            } else if (!name.equals(DIRECTIVE) && !name.equals(RETAIN_KEYS)) {
                names.add(name);
            }
        }
        return names;
    }

    private void mergeField(ObjectNode target, ObjectNode patch, String parent, String name) {
        JsonNode change = patch.path(name);
        Optional<String> mergeKey = MergeKeys.of(kind, parent, name);
        if (change.isNull()) {
            target.remove(name);
        } else if (change instanceof ObjectNode changes) {
            boolean deleted = changes.path(DIRECTIVE).asString("").equals("delete");
            if (deleted) {
                target.remove(name);
                return;
            }
            ObjectNode inner = copyOf(target.path(name));
            mergeObject(inner, changes, name);
            target.set(name, inner);
        } else if (mergeKey.isPresent() && (change.isArray() || change.isMissingNode())) {
            mergeList(target, patch, name, mergeKey.get());
        } else if (!change.isMissingNode()) {
            target.set(name, withoutDirectives(change));
        }
    }

    private void mergeList(ObjectNode target, ObjectNode patch, String name, String mergeKey) {
        List<JsonNode> original = elements(target.path(name));
        List<JsonNode> changes = elements(patch.path(name));
        JsonNode order = patch.path(ELEMENT_ORDER + name);
        List<JsonNode> merged = new ArrayList<>(original);
        if (changes.stream()
                .anyMatch(change -> change.path(DIRECTIVE).asString("").equals("replace"))) {
            merged.clear();
            changes.removeIf(change -> change.has(DIRECTIVE));
        }
        if (mergeKey.equals(MergeKeys.PRIMITIVE)) {
            merged.removeAll(elements(patch.path(DELETE_PRIMITIVES + name)));
            changes.stream().filter(value -> !merged.contains(value)).forEach(merged::add);
        } else {
            for (JsonNode change : changes) {
                mergeElement(merged, change, name, mergeKey);
            }
        }
        // Without a word on the order, what the patch names comes in the order of the patch.
        List<JsonNode> ordered = inOrder(merged, order.isArray() ? elements(order) : changes, original, mergeKey);
        if (ordered.isEmpty() && !target.has(name)) {
            return;
        }
        target.putArray(name).addAll(ordered);
    }

    private void mergeElement(List<JsonNode> merged, JsonNode change, String name, String mergeKey) {
        if (!(change instanceof ObjectNode changes) || changes.path(mergeKey).isMissingNode()) {
            throw PatchFailed.keyless("map: " + goText(change) + " does not contain declared merge key: " + mergeKey);
        }
        int index = indexOf(merged, change, mergeKey);
        if (changes.path(DIRECTIVE).asString("").equals("delete")) {
            if (index >= 0) {
                merged.remove(index);
            }
            return;
        }
        ObjectNode element = copyOf(index >= 0 ? merged.get(index) : changes.objectNode());
        mergeObject(element, changes, name);
        if (index >= 0) {
            merged.set(index, element);
        } else {
            merged.add(element);
        }
    }

    private static ObjectNode copyOf(JsonNode node) {
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        if (node instanceof ObjectNode object) {
            copy.setAll(object);
        }
        return copy;
    }

    /** Elements that the patch orders go in its order; the others keep their places among them as far as they can. */
    private static List<JsonNode> inOrder(
            List<JsonNode> merged, List<JsonNode> order, List<JsonNode> original, String mergeKey) {
        List<JsonNode> ordered = new ArrayList<>();
        for (JsonNode wanted : order) {
            int index = indexOf(merged, wanted, mergeKey);
            if (index >= 0) {
                ordered.add(merged.get(index));
            }
        }
        List<JsonNode> others = new ArrayList<>(merged);
        others.removeIf(element -> indexOf(order, element, mergeKey) >= 0);
        List<JsonNode> result = new ArrayList<>();
        int left = 0;
        int right = 0;
        while (left < others.size() || right < ordered.size()) {
            if (left == others.size()) {
                result.add(ordered.get(right++));
            } else if (right == ordered.size()) {
                result.add(others.get(left++));
            } else {
                int leftAt = indexOf(original, others.get(left), mergeKey);
                int rightAt = indexOf(original, ordered.get(right), mergeKey);
                boolean otherFirst = leftAt >= 0 && rightAt >= 0 && leftAt < rightAt;
                result.add(otherFirst ? others.get(left++) : ordered.get(right++));
            }
        }
        return result;
    }

    private static int indexOf(List<JsonNode> elements, JsonNode wanted, String mergeKey) {
        for (int i = 0; i < elements.size(); i++) {
            JsonNode element = elements.get(i);
            boolean same = mergeKey.equals(MergeKeys.PRIMITIVE)
                    ? element.equals(wanted)
                    : element.path(mergeKey).equals(wanted.path(mergeKey));
            if (same) {
                return i;
            }
        }
        return -1;
    }

    /** As Go prints a map. */
    private static String goText(JsonNode node) {
        if (node.isObject()) {
            return node.properties().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .map(field -> field.getKey() + ":" + goText(field.getValue()))
                    .collect(Collectors.joining(" ", "map[", "]"));
        }
        if (node.isArray()) {
            return node.valueStream().map(StrategicMergePatch::goText).collect(Collectors.joining(" ", "[", "]"));
        }
        return node.isNull() ? "<nil>" : node.asString("");
    }

    private static void retainKeys(ObjectNode target, ObjectNode patch) {
        if (patch.path(RETAIN_KEYS) instanceof ArrayNode keys) {
            List<String> kept = new ArrayList<>();
            keys.forEach(key -> kept.add(key.asString("")));
            target.retain(kept);
        }
    }

    private static List<JsonNode> elements(JsonNode list) {
        List<JsonNode> elements = new ArrayList<>();
        list.forEach(elements::add);
        return elements;
    }

    /** What a new or atomic value becomes: directives inside it have nothing to act on, nulls are absent fields. */
    private static JsonNode withoutDirectives(JsonNode value) {
        if (value instanceof ObjectNode object) {
            ObjectNode copy = object.objectNode();
            object.forEachEntry((name, inner) -> {
                if (!name.startsWith("$") && !inner.isNull()) {
                    copy.set(name, withoutDirectives(inner));
                }
            });
            return copy;
        }
        if (value instanceof ArrayNode array) {
            ArrayNode copy = array.arrayNode();
            array.forEach(inner -> copy.add(withoutDirectives(inner)));
            return copy;
        }
        return value;
    }
}
