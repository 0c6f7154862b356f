package dev.kip.sim.apiserver.managed;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A set of paths into an object, as {@code fieldsV1} writes it: {@code f:NAME} is a field, {@code k:KEYS} an element of a
 * list by its keys, {@code v:VALUE} an element of a set. Immutable but for {@link #add}.
 */
final class FieldSet {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SELF = ".";

    private final Map<String, FieldSet> children = new TreeMap<>();
    private boolean member;

    static FieldSet of(JsonNode fieldsV1) {
        FieldSet set = new FieldSet();
        fieldsV1.forEachEntry((step, inner) -> {
            if (!step.equals(SELF)) {
                FieldSet child = of(inner);
                child.member = inner.isEmpty() || inner.has(SELF);
                set.children.put(step, child);
            }
        });
        return set;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        children.forEach((step, child) -> {
            ObjectNode inner = child.toJson();
            if (child.member && !child.children.isEmpty()) {
                inner.putObject(SELF);
            }
            json.set(step, inner);
        });
        return json;
    }

    void add(List<String> path) {
        FieldSet at = this;
        for (String step : path) {
            at = at.children.computeIfAbsent(step, any -> new FieldSet());
        }
        at.member = true;
    }

    boolean isEmpty() {
        return !member && children.isEmpty();
    }

    boolean isMember() {
        return member;
    }

    FieldSet child(String step) {
        return children.getOrDefault(step, new FieldSet());
    }

    Map<String, FieldSet> children() {
        return children;
    }

    FieldSet union(FieldSet other) {
        FieldSet result = new FieldSet();
        result.member = member || other.member;
        children.forEach((step, child) -> result.children.put(step, child.union(other.child(step))));
        other.children.forEach((step, child) -> result.children.putIfAbsent(step, child));
        return result;
    }

    /** Of paths, not of what lies below them: without {@code a}, {@code a.b} stays. */
    FieldSet minus(FieldSet other) {
        FieldSet result = new FieldSet();
        result.member = member && !other.member;
        children.forEach((step, child) -> result.putUnlessEmpty(step, child.minus(other.child(step))));
        return result;
    }

    FieldSet intersection(FieldSet other) {
        FieldSet result = new FieldSet();
        result.member = member && other.member;
        children.forEach((step, child) -> result.putUnlessEmpty(step, child.intersection(other.child(step))));
        return result;
    }

    /** Without a field of the object and all below it. */
    FieldSet without(String step) {
        FieldSet result = union(new FieldSet());
        result.children.remove(step);
        return result;
    }

    /** With the path to this set itself. */
    FieldSet withMember() {
        FieldSet result = union(new FieldSet());
        result.member = true;
        return result;
    }

    void putUnlessEmpty(String step, FieldSet child) {
        if (!child.isEmpty()) {
            children.put(step, child);
        }
    }

    void forEach(Consumer<List<String>> path) {
        forEach(List.of(), path);
    }

    private void forEach(List<String> here, Consumer<List<String>> path) {
        if (member) {
            path.accept(here);
        }
        children.forEach((step, child) -> {
            List<String> next = new ArrayList<>(here);
            next.add(step);
            child.forEach(next, path);
        });
    }

    /** {@code .spec.containers[name="c"].image}. */
    static String text(List<String> path) {
        StringBuilder text = new StringBuilder();
        for (String step : path) {
            String rest = step.substring(2);
            if (step.startsWith("f:")) {
                text.append('.').append(rest);
            } else if (step.startsWith("v:")) {
                text.append("[=").append(rest).append(']');
            } else {
                List<String> keys = new ArrayList<>();
                JSON.readTree(rest).forEachEntry((name, value) -> keys.add(name + "=" + value));
                text.append('[').append(String.join(",", keys)).append(']');
            }
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSet set && member == set.member && children.equals(set.children);
    }

    @Override
    public int hashCode() {
        return 31 * children.hashCode() + Boolean.hashCode(member);
    }
}
