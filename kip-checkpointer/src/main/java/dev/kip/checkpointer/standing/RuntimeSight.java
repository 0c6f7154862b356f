package dev.kip.checkpointer.standing;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.checkpointer.generation.PodKey;
import java.util.Optional;

/** What is known of the container runtime. */
public sealed interface RuntimeSight {

    /** It did not answer: anything may run. */
    record Unknown(String reason) implements RuntimeSight {}

    /** What has a sandbox that is ready. */
    record Known(ImmutableSortedMap<PodKey, Run> runs) implements RuntimeSight {}

    /**
     * A pod with a sandbox that is ready.
     *
     * @param uid of the pod
     * @param containers names of those that run
     * @param instance changes whenever a container is started anew
     * @param begun there is a container, whether it runs or not: a bare sandbox may wait for the API server, and holds no port
     */
    record Run(String uid, ImmutableSortedSet<String> containers, String instance, boolean begun) {}

    default Optional<Run> find(PodKey key) {
        return this instanceof Known known ? Optional.ofNullable(known.runs().get(key)) : Optional.empty();
    }
}
