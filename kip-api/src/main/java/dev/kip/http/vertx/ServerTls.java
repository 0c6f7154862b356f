package dev.kip.http.vertx;

import com.google.common.io.ByteSource;
import java.util.Optional;

/**
 * TLS of a server, as PEM.
 *
 * @param certificates the server's certificate, then its intermediates
 * @param key PKCS#8, or the traditional form of RSA and EC
 * @param clientAuthority who signs the certificates of clients; empty if none are asked for
 * @param clientMustProve refuse clients that show no certificate of that authority; otherwise they have no peer name
 */
public record ServerTls(
        ByteSource certificates, ByteSource key, Optional<ByteSource> clientAuthority, boolean clientMustProve) {

    public static ServerTls of(byte[] certificates, byte[] key) {
        return new ServerTls(ByteSource.wrap(certificates), ByteSource.wrap(key), Optional.empty(), false);
    }

    /** Mutual: a client without a certificate of {@code authority} is refused. */
    public static ServerTls mutual(byte[] certificates, byte[] key, byte[] authority) {
        return of(certificates, key).clients(authority, true);
    }

    public ServerTls clients(byte[] authority, boolean mustProve) {
        return new ServerTls(certificates, key, Optional.of(ByteSource.wrap(authority)), mustProve);
    }
}
