package dev.kip.checkpointer.standing;

import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.generation.Origin.Controller;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import java.util.Locale;
import java.util.Optional;

/**
 * What is known now.
 *
 * @param nanos by the monotonic clock
 * @param node this node's name
 * @param self the pod that runs this program, under its parent's name
 */
public record View(
        long nanos,
        String node,
        PodKey self,
        ApiSight api,
        RuntimeSight runtime,
        ImmutableSortedMap<PodKey, Stored> stored) {

    /** The pod of this name in the API; empty also if the API server does not answer. */
    Optional<Parent> parent(PodKey key) {
        return api instanceof ApiSight.Answered answered
                ? Optional.ofNullable(answered.parents().get(key))
                : Optional.empty();
    }

    boolean apiAnswers() {
        return api instanceof ApiSight.Answered;
    }

    Optional<Stored> disk(PodKey key) {
        return Optional.ofNullable(stored.get(key));
    }

    /** Kubelet adds the node's name to that of a static pod. */
    PodKey copyOf(PodKey key) {
        return new PodKey(key.namespace(), key.name() + "-" + node.toLowerCase(Locale.ROOT));
    }

    Optional<Controller> controller(PodKey key) {
        Optional<Parent> parent = parent(key);
        return parent.isPresent()
                ? parent.get().controller()
                : disk(key)
                        .flatMap(Stored::newest)
                        .flatMap(newest -> newest.origin().controller());
    }
}
