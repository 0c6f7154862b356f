package dev.kip.checkpointer.generation;

import com.google.common.collect.ImmutableSortedMap;
import java.time.Instant;
import tools.jackson.databind.node.ObjectNode;

/**
 * One checkpoint of a pod, whole on disk.
 *
 * @param id digest of what was asked for: the same manifest has the same id
 * @param sequence grows from one generation of the node to the next; the clock may not
 * @param stored by the wall clock, for people
 * @param volumes the revision of each volume's content, by the volume's name
 * @param proven a pod with this spec has run here
 */
public record Generation(
        String id,
        long sequence,
        Instant stored,
        Origin origin,
        ObjectNode manifest,
        ImmutableSortedMap<String, String> volumes,
        boolean proven) {

    Generation withProven() {
        return new Generation(id, sequence, stored, origin, manifest, volumes, true);
    }
}
