package dev.kip.sim.apiserver;

import tools.jackson.databind.node.ObjectNode;

/** Copies of stored trees that are cheaper than whole ones. */
final class Trees {

    private Trees() {}

    /** A copy whose {@code fields} can be changed; everything else is shared with the original and must not be. */
    static ObjectNode changing(ObjectNode original, String... fields) {
        ObjectNode copy = original.objectNode();
        copy.setAll(original);
        for (String field : fields) {
            if (copy.get(field) instanceof ObjectNode inner) {
                copy.set(field, inner.deepCopy());
            }
        }
        return copy;
    }
}
