package dev.kip.checkpointer.generation;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where a generation comes from.
 *
 * @param node the node it was made on, and may run on
 * @param checkpointer the namespace of the checkpointer that made it: another one leaves it alone
 * @param uid of the pod that it was made of
 * @param controller uid of that pod's controller; empty if it had none
 * @param spec digest of that pod's spec, before anything was done to it
 */
public record Origin(String node, String checkpointer, PodKey pod, String uid, String controller, String spec) {

    ObjectNode toTree() {
        ObjectNode tree = Trees.empty();
        tree.put("node", node);
        tree.put("checkpointer", checkpointer);
        tree.put("namespace", pod.namespace());
        tree.put("name", pod.name());
        tree.put("uid", uid);
        tree.put("controller", controller);
        tree.put("spec", spec);
        return tree;
    }

    static Origin of(JsonNode tree) {
        return new Origin(
                text(tree, "node"),
                text(tree, "checkpointer"),
                new PodKey(text(tree, "namespace"), text(tree, "name")),
                text(tree, "uid"),
                text(tree, "controller"),
                text(tree, "spec"));
    }

    private static String text(JsonNode tree, String field) {
        return tree.path(field).asString("");
    }
}
