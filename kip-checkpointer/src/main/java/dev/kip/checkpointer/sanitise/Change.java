package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A place where two trees differ.
 *
 * @param path of the topmost node that differs; of the object, where one field took another's place
 * @param removed it is not there any more
 */
record Change(String path, boolean removed) {

    static ImmutableList<Change> between(ObjectNode before, ObjectNode after) {
        ImmutableList.Builder<Change> changes = ImmutableList.builder();
        compare("", before, after, changes);
        return changes.build();
    }

    private static void compare(String path, JsonNode before, JsonNode after, ImmutableList.Builder<Change> changes) {
        if (before.equals(after)) {
            return;
        }
        if (before instanceof ObjectNode one && after instanceof ObjectNode other) {
            objects(path, one, other, changes);
        } else if (before instanceof ArrayNode one && after instanceof ArrayNode other && one.size() == other.size()) {
            for (int i = 0; i < one.size(); i++) {
                compare(path + "[" + i + "]", one.get(i), other.get(i), changes);
            }
        } else {
            changes.add(new Change(path, false));
        }
    }

    private static void objects(
            String path, ObjectNode before, ObjectNode after, ImmutableList.Builder<Change> changes) {
        TreeSet<String> fields = new TreeSet<>();
        before.properties().stream().map(Map.Entry::getKey).forEach(fields::add);
        after.properties().stream().map(Map.Entry::getKey).forEach(fields::add);
        boolean gone = fields.stream().anyMatch(field -> !after.has(field));
        boolean come = fields.stream().anyMatch(field -> !before.has(field));
        if (gone && come) {
            changes.add(new Change(path, false));
            return;
        }
        for (String field : fields) {
            String child = path.isEmpty() ? field : path + "." + field;
            @Nullable JsonNode old = before.get(field);
            @Nullable JsonNode now = after.get(field);
            if (old == null || now == null) {
                changes.add(new Change(child, now == null));
            } else {
                compare(child, old, now, changes);
            }
        }
    }
}
