package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** A manifest as lines of YAML, each knowing its field. YAML 1.1 and 1.2 read the same from them. */
final class TreeLines {

    private static final Pattern BARE = Pattern.compile("[A-Za-z/_.][-A-Za-z0-9/_.]*");
    private static final Pattern WORD_THAT_MEANS_SOMETHING =
            Pattern.compile("(?i)y|n|yes|no|on|off|true|false|null|\\.nan|[-+]?\\.inf");

    private final ImmutableList.Builder<Line> lines = ImmutableList.builder();

    private TreeLines() {}

    /** @param path of the field that the line shows */
    record Line(String text, String path) {}

    static ImmutableList<Line> of(ObjectNode manifest) {
        TreeLines lines = new TreeLines();
        lines.object(manifest, "", 0, "");
        return lines.lines.build();
    }

    /** @param first what the first line begins with instead of blanks, {@code - } of a list */
    private void object(ObjectNode object, String path, int depth, String first) {
        String lead = first;
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String child = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
            String start = lead.isEmpty() ? indent(depth) : lead;
            value(start + scalar(field.getKey()) + ":", field.getValue(), child, depth);
            lead = "";
        }
    }

    private void value(String start, JsonNode value, String path, int depth) {
        if (value instanceof ObjectNode object && !object.isEmpty()) {
            lines.add(new Line(start, path));
            object(object, path, depth + 1, "");
        } else if (value.isArray() && !value.isEmpty()) {
            lines.add(new Line(start, path));
            for (int i = 0; i < value.size(); i++) {
                item(value.get(i), path + "[" + i + "]", depth);
            }
        } else {
            lines.add(new Line(start + " " + leaf(value), path));
        }
    }

    private void item(JsonNode item, String path, int depth) {
        String lead = indent(depth) + "- ";
        if (item instanceof ObjectNode object && !object.isEmpty()) {
            object(object, path, depth + 1, lead);
        } else if (item.isArray() && !item.isEmpty()) {
            lines.add(new Line(lead + item, path)); // flow style: lists of lists are rare in pods
        } else {
            lines.add(new Line(lead + leaf(item), path));
        }
    }

    private static String indent(int depth) {
        return "  ".repeat(depth);
    }

    private static String leaf(JsonNode value) {
        return value.isString() ? scalar(value.stringValue()) : value.toString();
    }

    private static String scalar(String text) {
        boolean bare = BARE.matcher(text).matches()
                && !WORD_THAT_MEANS_SOMETHING.matcher(text).matches();
        return bare ? text : quote(text);
    }

    /** As JSON quotes, which YAML reads too. */
    private static String quote(String text) {
        return StringNode.valueOf(text).toString();
    }
}
