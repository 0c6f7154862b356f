package dev.kip.checkpointer.sanitise;

import java.time.Duration;

/** What a pod refers to, and its checkpoint must carry. */
public sealed interface Need {

    /**
     * An object of the pod's namespace, or of the cluster.
     *
     * @param optional the pod runs without it, or without the key it asks for
     */
    record Thing(Kind kind, String name, boolean optional) implements Need {}

    /**
     * A token of the pod's service account.
     *
     * @param audience empty for the API server's own
     * @param lifetime as the pod asks for; the checkpoint's may be longer
     */
    record Token(String serviceAccount, String audience, Duration lifetime) implements Need {}

    /** A kind of object. */
    enum Kind {
        SECRET,
        CONFIG_MAP,
        PRIORITY_CLASS,
        RUNTIME_CLASS,
        CLUSTER_TRUST_BUNDLE
    }
}
