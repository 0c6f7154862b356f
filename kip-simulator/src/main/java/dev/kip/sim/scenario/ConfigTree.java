package dev.kip.sim.scenario;

import java.util.Map;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A controller's configuration as stories write it, key by key. */
public final class ConfigTree {

    private ConfigTree() {}

    /**
     * The tree of a provider.yaml.
     *
     * @param keys with dots between their parts; numbers and {@code true} and {@code false} become what they look like
     */
    public static ObjectNode of(Map<String, String> keys) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        keys.forEach((path, value) -> put(tree, path, value));
        return tree;
    }

    private static void put(ObjectNode tree, String path, String value) {
        int last = path.lastIndexOf('.');
        ObjectNode section =
                last < 0 ? tree : tree.withObject("/" + path.substring(0, last).replace('.', '/'));
        String name = path.substring(last + 1);
        if (value.matches("\\d{1,9}")) {
            section.put(name, Integer.parseInt(value));
        } else if (value.equals("true") || value.equals("false")) {
            section.put(name, value.equals("true"));
        } else {
            section.put(name, value);
        }
    }
}
