package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/** The priority classes that every cluster has. */
public final class PriorityClasses {

    /** The value of system-node-critical. */
    static final long NODE_CRITICAL = 2_000_001_000L;

    private static final ImmutableMap<String, Long> BUILT_IN =
            ImmutableMap.of("system-cluster-critical", 2_000_000_000L, "system-node-critical", NODE_CRITICAL);

    private PriorityClasses() {}

    /** Its value; empty for a class of the cluster's own. */
    public static Optional<Long> builtIn(String name) {
        return Optional.ofNullable(BUILT_IN.get(name));
    }
}
