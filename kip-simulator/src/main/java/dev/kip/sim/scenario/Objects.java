package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
import tools.jackson.databind.node.ObjectNode;

/** Reads what words ask of objects. */
final class Objects {

    private Objects() {}

    static String name(ObjectNode object) {
        return object.path("metadata").path("name").asString("");
    }

    /** @param glob of the name */
    static boolean isNamed(ObjectNode object, String namespace, String glob) {
        return object.path("metadata").path("namespace").asString("").equals(namespace)
                && Globs.matches(glob, name(object));
    }

    /** @param glob of the name */
    static ImmutableList<ObjectNode> named(Collection<ObjectNode> objects, String namespace, String glob) {
        return objects.stream()
                .filter(object -> isNamed(object, namespace, glob))
                .collect(ImmutableList.toImmutableList());
    }
}
