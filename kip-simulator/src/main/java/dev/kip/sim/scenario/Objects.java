package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
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
}
