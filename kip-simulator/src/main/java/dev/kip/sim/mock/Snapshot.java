package dev.kip.sim.mock;

import com.google.common.collect.ImmutableMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * All objects of a moment.
 *
 * @param objects by kind, as {@code apps/deployments}, and then by namespace and name
 */
record Snapshot(ImmutableMap<String, ImmutableMap<String, ObjectNode>> objects) {

    static final Snapshot EMPTY = new Snapshot(ImmutableMap.of());

    ImmutableMap<String, ObjectNode> of(String kindKey) {
        return objects.getOrDefault(kindKey, ImmutableMap.of());
    }
}
