package dev.kip.real;

import com.google.common.collect.ImmutableMap;
import com.google.common.net.HttpHeaders;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * An address that asks the node's kubelet API as the cluster's admin: the API server's {@code pods/proxy} shows no
 * credentials, and our node answers nobody who shows none. It trusts the node by the cluster's authority alone.
 */
final class NodeStandIn implements AutoCloseable {
    private static final String ADDRESS = "10.250.0.9";
    private static final int PORT = 10250;

    private final URI node;
    private final String token;
    private final HttpClient client;
    private final HttpsServer server;

    NodeStandIn(RealCluster cluster, URI node) throws IOException {
        this.node = node;
        this.token = cluster.adminToken();
        this.client = HttpClient.newBuilder()
                .sslContext(Tls.client(cluster.certificateAuthority()))
                .build();
        Program.run(
                        ImmutableMap.of(),
                        Path.of("/dev/null"),
                        List.of("ip", "address", "replace", ADDRESS + "/32", "dev", "lo"))
                .orFail();
        server = HttpsServer.create(new InetSocketAddress(ADDRESS, PORT), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(Tls.server(
                cluster.directory().resolve("pki/server.crt"),
                cluster.directory().resolve("pki/server.key"))));
        server.createContext("/", this::answer);
        server.start();
    }

    /** Where it answers, at a kubelet's port. */
    String address() {
        return ADDRESS;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            HttpResponse<byte[]> answered = client.send(
                    HttpRequest.newBuilder(node.resolve(exchange.getRequestURI()))
                            .header(HttpHeaders.AUTHORIZATION, "Bearer " + token)
                            .timeout(Duration.ofMinutes(1))
                            .build(),
                    BodyHandlers.ofByteArray());
            answered.headers()
                    .firstValue(HttpHeaders.CONTENT_TYPE)
                    .ifPresent(type -> exchange.getResponseHeaders().set(HttpHeaders.CONTENT_TYPE, type));
            exchange.sendResponseHeaders(answered.statusCode(), answered.body().length);
            exchange.getResponseBody().write(answered.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
