package dev.kip.checkpointer.lint;

import dev.kip.yaml.Yaml;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A pod and where it was read.
 *
 * @param file as it was named, {@code <stdin>} for standard input
 * @param tree what {@code pod} was made of, for lines; empty if it came from an API server
 * @param madeFromTemplate the pod of a DaemonSet or the like, which is no static pod as it stands
 */
record PodDocument(String file, ObjectNode pod, Optional<Yaml> tree, boolean madeFromTemplate) {

    String namespace() {
        String namespace = pod.path("metadata").path("namespace").asString("");
        return namespace.isEmpty() ? "default" : namespace;
    }

    String name() {
        return namespace() + "/" + pod.path("metadata").path("name").asString("?");
    }

    /** The line of a field, or of the nearest around it that is there; 0 if there are no lines. */
    int line(String path) {
        return tree.map(root -> line(root, path, root.line())).orElse(0);
    }

    private static int line(Yaml node, String path, int known) {
        if (path.isEmpty()) {
            return known;
        }
        if (node instanceof Yaml.Sequence sequence && path.startsWith("[")) {
            int end = path.indexOf(']');
            int index = Integer.parseInt(path.substring(1, end));
            if (index >= sequence.items().size()) {
                return known;
            }
            Yaml item = sequence.items().get(index);
            return line(item, rest(path, end + 1), item.line());
        }
        if (!(node instanceof Yaml.Mapping mapping)) {
            return known;
        }
        return mapping.entries().entrySet().stream()
                .filter(entry -> leads(path, entry.getKey()))
                .max(Comparator.comparingInt(entry -> entry.getKey().length()))
                .map(entry -> line(mapping, entry, path, known))
                .orElse(known);
    }

    private static int line(Yaml.Mapping mapping, Map.Entry<String, Yaml> entry, String path, int known) {
        String key = entry.getKey();
        return line(
                entry.getValue(), rest(path, key.length()), mapping.keyLines().getOrDefault(key, known));
    }

    /** A key may have dots of its own. */
    private static boolean leads(String path, String key) {
        if (!path.startsWith(key)) {
            return false;
        }
        return path.length() == key.length() || ".[".indexOf(path.charAt(key.length())) >= 0;
    }

    private static String rest(String path, int from) {
        return path.startsWith(".", from) ? path.substring(from + 1) : path.substring(from);
    }
}
