package dev.kip.controller.virtualnode;

/** Which Kubernetes the virtual node stands for. */
public final class NodeVersion {

    public static final String KUBERNETES = "v1.34.4";

    private NodeVersion() {}
}
