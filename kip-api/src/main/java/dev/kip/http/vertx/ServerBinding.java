package dev.kip.http.vertx;

import java.util.Optional;

/**
 * Where and how to listen.
 *
 * @param port 0 for a free one
 * @param maxBodyBytes a request with a larger body is answered 413
 */
public record ServerBinding(String host, int port, Optional<ServerTls> tls, int maxBodyBytes) {

    /** What kube-apiserver takes. */
    public static final int MAX_BODY_BYTES = 3 << 20;

    public static ServerBinding plain(String host, int port) {
        return new ServerBinding(host, port, Optional.empty(), MAX_BODY_BYTES);
    }

    public static ServerBinding secure(String host, int port, ServerTls tls) {
        return new ServerBinding(host, port, Optional.of(tls), MAX_BODY_BYTES);
    }

    public ServerBinding maxBodyBytes(int bytes) {
        return new ServerBinding(host, port, tls, bytes);
    }
}
