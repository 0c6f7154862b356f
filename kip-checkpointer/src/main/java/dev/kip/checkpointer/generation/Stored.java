package dev.kip.checkpointer.generation;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * What the disk holds of one pod.
 *
 * @param generations whole ones, oldest first
 * @param active the manifest that kubelet sees; empty if none
 */
public record Stored(PodKey key, ImmutableList<Generation> generations, Optional<Active> active) {

    /**
     * A manifest in kubelet's directory.
     *
     * @param generation whose it is; empty if that cannot be told
     * @param digest of its bytes
     */
    public record Active(String generation, String digest) {}

    public Optional<Generation> newest() {
        return generations.isEmpty() ? Optional.empty() : Optional.of(generations.get(generations.size() - 1));
    }

    /** The newest that has run here. */
    public Optional<Generation> good() {
        return generations.reverse().stream().filter(Generation::proven).findFirst();
    }

    public Optional<Generation> find(String id) {
        return generations.stream().filter(one -> one.id().equals(id)).findFirst();
    }
}
