package dev.kip.sim.cell;

import dev.kip.cell.wire.PeerCertificates;
import dev.kip.sim.kernel.SimNetwork;
import java.util.Optional;

/** What is presented on the simulated network. It has no handshakes, so there is nothing to pin: the client compares. */
public record SimulatedCertificates(SimNetwork network) implements PeerCertificates {

    @Override
    public Optional<String> presented(String host, int port) {
        return network.fingerprint(host, port);
    }

    @Override
    public void expect(String host, int port, String fingerprint) {
        // the client compares what is presented with what was proved before every request
    }

    @Override
    public void forget(String host, int port) {
        // nothing is remembered
    }
}
