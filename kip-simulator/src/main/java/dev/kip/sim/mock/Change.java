package dev.kip.sim.mock;

import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * One change of one object.
 *
 * @param kindKey {@code apps/deployments}
 * @param before empty if it is new
 * @param after empty if it has gone
 */
record Change(long revision, String kindKey, Optional<ObjectNode> before, Optional<ObjectNode> after) {

    /** The object as it is now, or was last. */
    ObjectNode subject() {
        return after.or(() -> before).orElseThrow();
    }

    String event() {
        return after.isEmpty() ? "DELETED" : before.isEmpty() ? "ADDED" : "MODIFIED";
    }
}
