package dev.kip.kube;

import tools.jackson.databind.node.ObjectNode;

/** JSON to value and back. Pure; decoding runs off the loop. */
public interface Codec<T> {

    /** @throws IllegalArgumentException naming the field, what was wanted and what was found */
    T decode(ObjectNode object);

    ObjectNode encode(T value);
}
