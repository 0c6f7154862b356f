package dev.kip.controller.kubelet;

import java.time.Duration;
import java.util.Optional;

/**
 * How the virtual node's kubelet API is served.
 *
 * @param port 0 for a free one; the node says which
 * @param clientAuthority path of a PEM file: clients with a certificate of it are who it says; empty if none are
 * @param serving where the serving certificate is; empty for one that the process makes for itself
 * @param requested whether the certificate is asked of the cluster, where {@code serving} is empty
 * @param idle after how long without a byte a stream of exec, attach or port-forward is cut
 * @param maxStreams open at a time, followed logs included
 */
public record KubeletSettings(
        int port,
        Optional<String> clientAuthority,
        Optional<Serving> serving,
        boolean requested,
        Duration idle,
        int maxStreams) {

    public static final KubeletSettings DEFAULTS =
            new KubeletSettings(10250, Optional.empty(), Optional.empty(), false, Duration.ofHours(4), 1000);

    /** Paths of PEM files. */
    public record Serving(String certificate, String key) {}
}
