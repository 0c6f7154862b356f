package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.node.ObjectNode;

/** Makes the static pod that kubelet runs with no API server. Pure: equal arguments, equal result, byte for byte. */
public interface Sanitiser {

    /** What must be fetched before {@link #sanitise}, each once, in a fixed order. */
    ImmutableList<Need> needs(ObjectNode pod);

    /**
     * @param pod as the API server or kubelet gave it, every field of it; not changed
     * @param supplies what was found of {@link #needs}
     * @param site where the checkpoint will live
     */
    Sanitised sanitise(ObjectNode pod, Supplies supplies, Site site);

    /**
     * Where the checkpoint will live.
     *
     * @param volumes an absolute directory: volume {@code v} becomes a hostPath of {@code volumes/v}
     * @param node the node's name
     */
    record Site(String volumes, String node) {}
}
