package dev.kip.cell.wire;

import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;

/**
 * Trust in cells, by pinning. There are two clients: one for the question of identity, which shakes hands with anybody and
 * carries no secret, and one for all else, whose handshake fails unless the certificate is the one that was proved for
 * exactly this address. So nothing can be handed to an impostor, whichever connection of a pool a request takes.
 *
 * <p>Asked by the threads of the network as well as by the loop, hence the concurrent maps.
 */
public final class CellTrust implements PeerCertificates {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final ConcurrentMap<String, String> presented = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, String> expected = new ConcurrentHashMap<>();

    /** Clients that show the controller's certificate and never retry. The caller closes them. */
    public CellClients clients(HttpClient.Factory factory, InstallationKeys keys) {
        return new CellClients(client(factory, keys, new Recording(false)), client(factory, keys, new Recording(true)));
    }

    /** The key of the controller, for streams to cells that no {@link HttpClient} carries. */
    public static X509KeyManager key(InstallationKeys keys) {
        return OneCertificate.key(keys.controller());
    }

    /** Lets only that pass which is expected at its address. */
    public TrustManager pinned() {
        return new Recording(true);
    }

    /** Expects at another port of a host the certificate that is expected at this one; false if none is. */
    public boolean expectAlsoAt(String host, int port, int other) {
        Optional<String> here = Optional.ofNullable(expected.get(address(host, port)));
        here.ifPresent(fingerprint -> expect(host, other, fingerprint));
        return here.isPresent();
    }

    private static HttpClient client(HttpClient.Factory factory, InstallationKeys keys, TrustManager trust) {
        return factory.newBuilder()
                .connectTimeout(CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .preferHttp11()
                .sslContext(new KeyManager[] {new OneKey(keys.controller())}, new TrustManager[] {trust})
                .tag(new RequestConfigBuilder().withRequestRetryBackoffLimit(0).build())
                .build();
    }

    @Override
    public Optional<String> presented(String host, int port) {
        return Optional.ofNullable(presented.get(address(host, port)));
    }

    @Override
    public void expect(String host, int port, String fingerprint) {
        expected.put(address(host, port), fingerprint);
    }

    @Override
    public void forget(String host, int port) {
        expected.remove(address(host, port));
        presented.remove(address(host, port));
    }

    private static String address(String host, int port) {
        return host + ":" + port;
    }

    /** Notes what every address presents; if strict, lets only what is expected there pass. */
    private final class Recording extends ServerTrust {
        private final boolean strict;

        Recording(boolean strict) {
            this.strict = strict;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            String address = address(engine.getPeerHost(), engine.getPeerPort());
            String fingerprint = SelfSigned.fingerprint(chain[0]);
            presented.put(address, fingerprint);
            if (strict && !fingerprint.equals(expected.get(address))) {
                throw new CertificateException("the certificate " + fingerprint + " at " + address
                        + " is not the one that was proved to be the cell's");
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            throw new CertificateException("cells are dialled without blocking sockets");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("a cell cannot be checked without its address");
        }
    }
}
