package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads what words ask of objects. */
final class Objects {

    private Objects() {}

    static String name(ObjectNode object) {
        return object.at("/metadata/name").asString("");
    }

    /** @param glob of the name */
    static ImmutableList<ObjectNode> named(Collection<ObjectNode> objects, String namespace, String glob) {
        return objects.stream()
                .filter(o -> o.at("/metadata/namespace").asString("").equals(namespace) && Globs.matches(glob, name(o)))
                .collect(ImmutableList.toImmutableList());
    }

    /** A pod's state in one word: {@code Ready}, its phase, or {@code Terminating}. */
    static String podState(ObjectNode pod) {
        if (pod.at("/metadata").has("deletionTimestamp")) {
            return "Terminating";
        }
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asString("").equals("Ready")
                    && condition.path("status").asString("").equals("True")) {
                return "Ready";
            }
        }
        return pod.at("/status/phase").asString("Pending");
    }
}
