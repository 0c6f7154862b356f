package dev.kip.checkpointer.generation;

import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where a generation comes from.
 *
 * @param node the node it was made on, and may run on
 * @param checkpointer the namespace of the checkpointer that made it: another one leaves it alone
 * @param uid of the pod that it was made of
 * @param controller of that pod; empty if it had none
 * @param spec digest of that pod's spec, before anything was done to it
 */
public record Origin(
        String node, String checkpointer, PodKey pod, String uid, Optional<Controller> controller, String spec) {

    /** Who made the pod. */
    public record Controller(String kind, String uid) {

        /** It has one pod on a node, so that a second one is the first one's successor. */
        public boolean hasOnePodPerNode() {
            return kind.equals("DaemonSet");
        }
    }

    /** The controller among the owners of {@code pod}. */
    public static Optional<Controller> controllerOf(JsonNode pod) {
        for (JsonNode owner : pod.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean(false)) {
                return Optional.of(new Controller(text(owner, "kind"), text(owner, "uid")));
            }
        }
        return Optional.empty();
    }

    ObjectNode toTree() {
        ObjectNode tree = Trees.empty();
        tree.put("node", node);
        tree.put("checkpointer", checkpointer);
        tree.put("namespace", pod.namespace());
        tree.put("name", pod.name());
        tree.put("uid", uid);
        controller.ifPresent(
                owner -> tree.putObject("controller").put("kind", owner.kind()).put("uid", owner.uid()));
        tree.put("spec", spec);
        return tree;
    }

    static Origin of(JsonNode tree) {
        return new Origin(
                text(tree, "node"),
                text(tree, "checkpointer"),
                new PodKey(text(tree, "namespace"), text(tree, "name")),
                text(tree, "uid"),
                tree.has("controller")
                        ? Optional.of(new Controller(
                                text(tree.path("controller"), "kind"), text(tree.path("controller"), "uid")))
                        : Optional.empty(),
                text(tree, "spec"));
    }

    private static String text(JsonNode tree, String field) {
        return tree.path(field).asString("");
    }
}
