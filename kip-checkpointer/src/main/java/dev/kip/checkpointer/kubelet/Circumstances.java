package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.node.ObjectNode;

/**
 * What else decides whether a pod runs.
 *
 * @param others the other pods of the node that have not ended, for their host ports and requests
 */
public record Circumstances(ApiServer api, NodeFacts node, ImmutableList<ObjectNode> others) {

    /** A node that starts with nobody to ask. */
    public static Circumstances cutOff(NodeFacts node) {
        return new Circumstances(ApiServer.AWAY, node, ImmutableList.of());
    }
}
