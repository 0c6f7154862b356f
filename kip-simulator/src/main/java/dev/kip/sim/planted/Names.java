package dev.kip.sim.planted;

import dev.kip.crd.Installation;
import dev.kip.crd.LaunchBatch;
import tools.jackson.databind.node.ObjectNode;

/** Names of objects in whatever shape they are written. */
final class Names {

    private Names() {}

    static String of(Object object) {
        if (object instanceof Installation installation) {
            return installation.metadata().name();
        }
        if (object instanceof LaunchBatch batch) {
            return batch.metadata().name();
        }
        return ((ObjectNode) object).at("/metadata/name").asString("");
    }
}
