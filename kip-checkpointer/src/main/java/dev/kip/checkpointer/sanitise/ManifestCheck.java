package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.node.ObjectNode;

/** Asks a model of the node's kubelet whether it would run a static pod with the API server away. Pure. */
public interface ManifestCheck {

    /** Empty if kubelet would run it. */
    ImmutableList<Objection> objections(ObjectNode manifest);

    /**
     * Why kubelet would not.
     *
     * @param path of the field; empty if the whole manifest is meant
     * @param message what kubelet would log
     */
    record Objection(String path, String message) {}
}
