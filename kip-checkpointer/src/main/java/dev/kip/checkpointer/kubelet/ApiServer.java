package dev.kip.checkpointer.kubelet;

/** What kubelet has of an API server. */
public enum ApiServer {
    /** It has a kubeconfig, and nobody answers. */
    AWAY,
    /** It answers. */
    PRESENT,
    /** It has no kubeconfig at all. */
    NONE
}
