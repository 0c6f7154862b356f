package dev.kip.http.vertx;

import com.google.common.io.ByteSource;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Serves an {@link HttpService} on a socket: HTTP/1.1 with keep-alive and chunked streams, WebSocket, optionally TLS.
 * Socket threads only read and write; every call is handed to the loop. Closing cuts what is open.
 */
public final class VertxHttpServer implements AutoCloseable {

    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final int MAX_MESSAGE_BYTES = 16 << 20;
    private static final int PATIENCE_SECONDS = 10;

    private final HttpServer server;
    private final Optional<Vertx> owned;

    private VertxHttpServer(HttpServer server, Optional<Vertx> owned) {
        this.server = server;
        this.owned = owned;
    }

    /** Vert.x without the class path and file cache that only its own web framework needs, on daemon threads. */
    public static Vertx vertx() {
        var options = new VertxOptions().setUseDaemonThread(true);
        options.getFileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
        return Vertx.vertx(options);
    }

    /** Listens, with threads of its own. @throws IOException if the address cannot be had; it names it */
    public static VertxHttpServer start(ServerBinding binding, Loop loop, HttpService service) throws IOException {
        Vertx vertx = vertx();
        try {
            return start(vertx, Optional.of(vertx), binding, loop, service);
        } catch (IOException e) {
            vertx.close();
            throw e;
        }
    }

    /** Listens, on threads that other servers share. @throws IOException if the address cannot be had; it names it */
    public static VertxHttpServer start(Vertx shared, ServerBinding binding, Loop loop, HttpService service)
            throws IOException {
        return start(shared, Optional.empty(), binding, loop, service);
    }

    /** The port listened on. */
    public int port() {
        return server.actualPort();
    }

    /** Shows another certificate from the next connection on; what is open stays open. */
    public void renew(ServerTls tls) throws IOException {
        var renewed = new ServerSSLOptions().setUseAlpn(false).setKeyCertOptions(key(tls));
        tls.clientAuthority()
                .ifPresent(authority -> renewed.setTrustOptions(new PemTrustOptions().addCertValue(buffer(authority)))
                        .setClientAuth(tls.clientMustProve() ? ClientAuth.REQUIRED : ClientAuth.REQUEST));
        await(server.updateSSLOptions(renewed));
    }

    /** Stops listening and cuts every connection. Not to be called on a thread of Vert.x. */
    @Override
    public void close() {
        try {
            await(server.close());
            if (owned.isPresent()) {
                await(owned.get().close());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static VertxHttpServer start(
            Vertx vertx, Optional<Vertx> owned, ServerBinding binding, Loop loop, HttpService service)
            throws IOException {
        HttpServer server = vertx.createHttpServer(options(binding));
        server.requestHandler(request -> VertxCall.receive(request, binding.maxBodyBytes(), loop, service));
        server.connectionHandler(PostedUpgrades::accept);
        server.exceptionHandler(broken -> {}); // a connection that fails before a request is no one's concern
        try {
            await(server.listen());
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen on " + binding.host() + ":" + binding.port() + ": " + e.getMessage(), e);
        }
        return new VertxHttpServer(server, owned);
    }

    private static HttpServerOptions options(ServerBinding binding) {
        var options = new HttpServerOptions()
                .setHost(binding.host())
                .setPort(binding.port())
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setMaxInitialLineLength(MAX_HEADER_BYTES)
                .setHandle100ContinueAutomatically(true)
                .setTcpNoDelay(true)
                .setHttp2ClearTextEnabled(false)
                // The service chooses: VertxCall leaves the one that it chose in the request.
                .setWebSocketSubProtocols(List.of("*"))
                .setPerMessageWebSocketCompressionSupported(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setMaxWebSocketFrameSize(MAX_MESSAGE_BYTES)
                .setMaxWebSocketMessageSize(MAX_MESSAGE_BYTES);
        binding.tls().ifPresent(tls -> secure(options, tls));
        return options;
    }

    private static void secure(HttpServerOptions options, ServerTls tls) {
        options.setSsl(true).setUseAlpn(false).setKeyCertOptions(key(tls));
        tls.clientAuthority()
                .ifPresent(authority -> options.setTrustOptions(new PemTrustOptions().addCertValue(buffer(authority)))
                        .setClientAuth(tls.clientMustProve() ? ClientAuth.REQUIRED : ClientAuth.REQUEST));
    }

    private static PemKeyCertOptions key(ServerTls tls) {
        return new PemKeyCertOptions().addCertValue(buffer(tls.certificates())).addKeyValue(buffer(tls.key()));
    }

    private static Buffer buffer(ByteSource pem) {
        try {
            return Buffer.buffer(pem.read());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(Future<?> future) throws IOException {
        try {
            future.toCompletionStage().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(String.valueOf(cause.getMessage()), cause);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
