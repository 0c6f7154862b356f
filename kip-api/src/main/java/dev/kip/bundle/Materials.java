package dev.kip.bundle;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The objects that a pod refers to, by name, as the API server gave them; what does not exist is not in here. */
public record Materials(ImmutableMap<String, ObjectNode> secrets, ImmutableMap<String, ObjectNode> configMaps) {

    public static Materials none() {
        return new Materials(ImmutableMap.of(), ImmutableMap.of());
    }

    Optional<ObjectNode> find(Reference.Kind kind, String name) {
        return Optional.ofNullable((kind == Reference.Kind.SECRET ? secrets : configMaps).get(name));
    }
}
