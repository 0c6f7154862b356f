package dev.kip.sim.apiserver.managed;

import dev.kip.sim.apiserver.schema.Shape;
import dev.kip.sim.apiserver.schema.Shape.Form;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** What server-side apply does with trees: name their fields, compare, merge, and take fields out. */
final class Trees {

    private Trees() {}

    /** Every field that an applied object states. */
    static FieldSet fields(Shape shape, JsonNode object) {
        FieldSet set = new FieldSet();
        fields(shape, object, List.of(), set);
        return set;
    }

    private static void fields(Shape shape, JsonNode value, List<String> path, FieldSet set) {
        Form form = shape.form(value);
        if (!Steps.divisible(form)) {
            shape.mismatch(value).ifPresent(why -> {
                throw new Untyped(path, why);
            });
            set.add(path);
            return;
        }
        Set<String> seen = new LinkedHashSet<>();
        if (form == Form.KEYED) {
            for (JsonNode element : value) {
                ArrayNode alone = JsonNodeFactory.instance.arrayNode().add(element);
                String step = Steps.of(shape, alone).keySet().iterator().next();
                if (!seen.add(step)) {
                    throw new Untyped(path, "duplicate entries for key " + FieldSet.text(List.of(step)));
                }
            }
        }
        Steps.of(shape, value).forEach((step, inner) -> {
            List<String> next = down(path, step);
            if (step.startsWith("f:") && !shape.allows(step.substring(2))) {
                throw new Untyped(next, "field not declared in schema");
            }
            fields(Steps.below(shape, step), inner, next, set);
            boolean declared = form == Form.STRUCT && shape.declares(step.substring(2));
            if (!declared || inner.isNull() || (inner.isObject() && inner.isEmpty())) {
                set.add(next);
            }
        });
    }

    /**
     * @param added and {@code removed}, {@code modified}: paths, those that lead to others among them where these come or go
     */
    record Comparison(FieldSet added, FieldSet modified, FieldSet removed) {

        FieldSet written() {
            return added.union(modified);
        }
    }

    static Comparison compare(Shape shape, JsonNode before, JsonNode after) {
        Comparison comparison = new Comparison(new FieldSet(), new FieldSet(), new FieldSet());
        compare(shape, before, after, List.of(), comparison);
        return comparison;
    }

    private static void compare(Shape shape, JsonNode before, JsonNode after, List<String> path, Comparison found) {
        boolean whole = (before.isMissingNode() || !Steps.divisible(shape.form(before)))
                && (after.isMissingNode() || !Steps.divisible(shape.form(after)));
        if (before.isMissingNode()) {
            found.added().add(path);
        } else if (after.isMissingNode()) {
            found.removed().add(path);
        } else if (whole && !before.equals(after)) {
            found.modified().add(path);
        }
        if (whole) {
            return;
        }
        Map<String, JsonNode> old = Steps.of(shape, before);
        Map<String, JsonNode> now = Steps.of(shape, after);
        Set<String> steps = new LinkedHashSet<>(old.keySet());
        steps.addAll(now.keySet());
        for (String step : steps) {
            compare(
                    Steps.below(shape, step),
                    old.getOrDefault(step, MissingNode.getInstance()),
                    now.getOrDefault(step, MissingNode.getInstance()),
                    down(path, step),
                    found);
        }
    }

    /** A new tree; what is applied wins. */
    static JsonNode merge(Shape shape, JsonNode live, JsonNode applied) {
        Form form = shape.form(applied);
        if (!Steps.divisible(form) || shape.form(live) != form) {
            return applied.deepCopy();
        }
        Map<String, JsonNode> old = Steps.of(shape, live);
        Map<String, JsonNode> now = Steps.of(shape, applied);
        Map<String, JsonNode> merged = new LinkedHashMap<>();
        for (String step : form == Form.KEYED || form == Form.SET ? order(old, now) : both(old, now)) {
            JsonNode wanted = now.get(step);
            JsonNode present = old.get(step);
            merged.put(
                    step,
                    wanted == null
                            ? present
                            : present == null ? wanted.deepCopy() : merge(Steps.below(shape, step), present, wanted));
        }
        return built(form, merged);
    }

    private static List<String> both(Map<String, JsonNode> old, Map<String, JsonNode> now) {
        Set<String> steps = new LinkedHashSet<>(old.keySet());
        steps.addAll(now.keySet());
        return List.copyOf(steps);
    }

    /** Elements that are applied come in their order; those that are not keep their places among them. */
    private static List<String> order(Map<String, JsonNode> old, Map<String, JsonNode> now) {
        List<String> left = List.copyOf(old.keySet());
        List<String> right = List.copyOf(now.keySet());
        List<String> shared = new ArrayList<>(right);
        shared.retainAll(old.keySet());
        Set<String> result = new LinkedHashSet<>();
        int leftAt = 0;
        int rightAt = 0;
        while (leftAt < left.size() || rightAt < right.size()) {
            String step = leftAt < left.size() ? left.get(leftAt) : "";
            if (leftAt < left.size() && rightAt < right.size()) {
                if (step.equals(right.get(rightAt))) {
                    result.add(step);
                    shared.remove(step);
                    leftAt++;
                    rightAt++;
                    continue;
                }
                if (now.containsKey(step) && !shared.isEmpty() && !shared.get(0).equals(step)) {
                    leftAt++;
                    continue;
                }
            }
            if (leftAt < left.size()) {
                if (!now.containsKey(step)) {
                    result.add(step);
                    leftAt++;
                    continue;
                }
                if (result.contains(step)) {
                    leftAt++;
                }
            }
            if (rightAt < right.size()) {
                result.add(right.get(rightAt));
                shared.remove(right.get(rightAt));
                rightAt++;
            }
        }
        return List.copyOf(result);
    }

    private static JsonNode built(Form form, Map<String, JsonNode> steps) {
        if (form == Form.KEYED || form == Form.SET) {
            return JsonNodeFactory.instance.arrayNode().addAll(steps.values());
        }
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        steps.forEach((step, value) -> object.set(step.substring(2), value));
        return object;
    }

    /** A new tree without the members of the set and all below them; missing if nothing is left of it. */
    static JsonNode without(Shape shape, JsonNode value, FieldSet removed) {
        Form form = shape.form(value);
        if (removed.children().isEmpty() || !Steps.divisible(form)) {
            return value;
        }
        Map<String, JsonNode> left = new LinkedHashMap<>();
        Steps.of(shape, value).forEach((step, inner) -> {
            FieldSet below = removed.child(step);
            if (!below.isMember()) {
                JsonNode rest = without(Steps.below(shape, step), inner, below);
                if (!rest.isMissingNode()) {
                    left.put(step, rest);
                }
            }
        });
        return left.isEmpty() ? MissingNode.getInstance() : built(form, left);
    }

    /** The set, and every declared field that leads to one of its paths. */
    static FieldSet named(Shape shape, FieldSet set) {
        FieldSet result = new FieldSet();
        set.children().forEach((step, child) -> {
            FieldSet below = named(Steps.below(shape, step), child);
            boolean declared = step.startsWith("f:") && shape.declares(step.substring(2));
            result.putUnlessEmpty(step, child.isMember() || declared ? below.withMember() : below);
        });
        return result;
    }

    private static List<String> down(List<String> path, String step) {
        List<String> next = new ArrayList<>(path);
        next.add(step);
        return List.copyOf(next);
    }
}
