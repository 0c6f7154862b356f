package dev.kip.checkpointer.sanitise;

import dev.kip.bundle.Site;
import dev.kip.bundle.Workpiece;
import dev.kip.checkpointer.kubelet.PriorityClasses;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Class and number belong together: kubelet does not resolve the class, and the API server refuses a mirror pod of another number. */
final class PriorityRewrite {

    private PriorityRewrite() {}

    /** At {@code spec.priorityClassName}: with its value, or not at all. */
    static void named(Site site, Workpiece piece) {
        String name = site.value().asString("");
        Optional<Long> value = value(name, piece);
        if (value.isPresent()) {
            site.parent().put("priority", value.get());
        } else {
            site.remove();
            site.parent().remove("priority");
        }
    }

    /** At {@code spec.priority}: a number without a class says nothing that kubelet uses. */
    static void number(Site site, Workpiece piece) {
        if (site.parent().path("priorityClassName").asString("").isEmpty()) {
            site.remove();
        }
    }

    private static Optional<Long> value(String name, Workpiece piece) {
        Optional<Long> builtIn = PriorityClasses.builtIn(name);
        if (builtIn.isPresent() || !(piece.destination() instanceof CheckpointDestination destination)) {
            return builtIn;
        }
        Optional<ObjectNode> found = destination.supplies().find(new Need.Thing(Need.Kind.PRIORITY_CLASS, name, true));
        return found.map(object -> object.path("value"))
                .filter(JsonNode::isIntegralNumber)
                .map(JsonNode::longValue);
    }
}
