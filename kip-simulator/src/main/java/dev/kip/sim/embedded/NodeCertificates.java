package dev.kip.sim.embedded;

import dev.kip.cell.wire.SelfSigned;
import dev.kip.entropy.Entropy;
import java.time.Instant;

/**
 * By which a world's API server and its node's kubelet API know each other; made anew at each start.
 *
 * @param server of the kubelet API
 * @param client of the API server, as the kubelet API sees it
 */
record NodeCertificates(SelfSigned server, SelfSigned client) {

    static NodeCertificates create(Entropy entropy, Instant now) {
        return new NodeCertificates(
                SelfSigned.create(entropy, now, "kip-embedded-node"),
                SelfSigned.create(entropy, now, "kube-apiserver-kubelet-client"));
    }
}
