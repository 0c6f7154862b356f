package dev.kip.cell.wire;

import java.util.Optional;

/**
 * Which certificates are presented at an address, and which one is accepted there. Behind it stands the TLS of the
 * process ({@link CellTrust}), or the simulated network. Called on the loop.
 */
public interface PeerCertificates {

    /** Fingerprint of the certificate that was presented last at {@code host:port}. */
    Optional<String> presented(String host, int port);

    /**
     * From now on nothing but a question for identity reaches any other certificate at {@code host:port} than this one.
     */
    void expect(String host, int port, String fingerprint);

    /** Back to the state of an unknown address: nothing but a question for identity passes. */
    void forget(String host, int port);
}
