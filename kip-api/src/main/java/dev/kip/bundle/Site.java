package dev.kip.bundle;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A place in a pod where a rule applies.
 *
 * @param parent the object that has the field
 * @param path to the field, with indexes
 */
public record Site(ObjectNode parent, String field, String path) {

    /** The places that match {@code pattern} and are there, in order. {@code [*]} stands for every element of an array. */
    public static List<Site> find(ObjectNode pod, String pattern) {
        List<Site> found = new ArrayList<>();
        walk(pod, pattern.split("\\.", -1), 0, "", found);
        return found;
    }

    private static void walk(JsonNode node, String[] segments, int depth, String path, List<Site> found) {
        if (!(node instanceof ObjectNode object)) {
            return;
        }
        String segment = segments[depth];
        boolean each = segment.endsWith("[*]");
        String field = each ? segment.substring(0, segment.length() - 3) : segment;
        String here = path.isEmpty() ? field : path + "." + field;
        @Nullable JsonNode value = object.get(field);
        if (value == null || value.isNull()) {
            return;
        }
        if (depth == segments.length - 1) {
            found.add(new Site(object, field, here));
        } else if (each) {
            for (int i = 0; i < value.size(); i++) {
                walk(value.get(i), segments, depth + 1, here + "[" + i + "]", found);
            }
        } else {
            walk(value, segments, depth + 1, here, found);
        }
    }

    public JsonNode value() {
        return parent.path(field);
    }

    /** An empty list or object says nothing. */
    public boolean saysSomething() {
        JsonNode value = value();
        return !(value.isContainer()
                ? value.isEmpty()
                : value.isString() && value.stringValue().isEmpty());
    }

    public void remove() {
        parent.remove(field);
    }
}
