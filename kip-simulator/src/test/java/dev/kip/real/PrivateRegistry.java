package dev.kip.real;

import com.google.common.hash.Hashing;
import com.google.common.net.HostAndPort;
import com.google.common.net.HttpHeaders;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A registry over plain HTTP with one image, {@code private:1}, for those who know the password. */
final class PrivateRegistry implements AutoCloseable {
    private static final String MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json";
    private static final String LOGIN =
            Base64.getEncoder().encodeToString("ada:enchantress".getBytes(StandardCharsets.UTF_8));

    private final HttpServer server;
    private final Map<String, byte[]> blobs = new LinkedHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();

    /** @param archive an image with one layer, as {@code docker save} writes it */
    PrivateRegistry(HostAndPort address, Path archive, Path scratch) throws IOException {
        Program.run(
                        Map.of(),
                        Path.of("/dev/null"),
                        List.of("tar", "-C", scratch.toString(), "-xf", archive.toString(), "config.json", "layer.tar"))
                .orFail();
        String config = keep(Files.readAllBytes(scratch.resolve("config.json")));
        String layer = keep(Files.readAllBytes(scratch.resolve("layer.tar")));
        byte[] manifest = """
                {"schemaVersion": 2, "mediaType": "%s",
                 "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": %d, "digest": "%s"},
                 "layers": [{"mediaType": "application/vnd.docker.image.rootfs.diff.tar", "size": %d, "digest": "%s"}]}
                """.formatted(MANIFEST_TYPE, blobs.get(config).length, config, blobs.get(layer).length, layer)
                .getBytes(StandardCharsets.UTF_8);
        blobs.put("1", manifest);
        keep(manifest);
        server = HttpServer.create(new InetSocketAddress(address.getHost(), address.getPort()), 0);
        server.createContext("/v2/", this::answer);
        server.start();
    }

    private String keep(byte[] blob) {
        String digest = "sha256:" + Hashing.sha256().hashBytes(blob);
        blobs.put(digest, blob);
        return digest;
    }

    /** What a pull secret of type {@code kubernetes.io/dockerconfigjson} says for it. */
    String credentials() {
        return "{\"auths\":{\"" + server.getAddress().getHostString() + ":"
                + server.getAddress().getPort() + "\":{\"auth\":\"" + LOGIN + "\"}}}";
    }

    /** How many requests came without the password. */
    int refused() {
        return refused.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String login = exchange.getRequestHeaders().getFirst(HttpHeaders.AUTHORIZATION);
            String path = exchange.getRequestURI().getPath();
            byte[] blob = blobs.get(path.substring(path.lastIndexOf('/') + 1));
            if (!("Basic " + LOGIN).equals(login)) {
                refused.incrementAndGet();
                exchange.getResponseHeaders().set(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"private\"");
                exchange.sendResponseHeaders(401, -1);
            } else if (blob == null) {
                exchange.sendResponseHeaders(path.equals("/v2/") ? 200 : 404, -1);
            } else {
                boolean manifest = path.contains("/manifests/");
                exchange.getResponseHeaders()
                        .set(HttpHeaders.CONTENT_TYPE, manifest ? MANIFEST_TYPE : "application/octet-stream");
                boolean head = exchange.getRequestMethod().equals("HEAD");
                if (head) {
                    exchange.getResponseHeaders().set(HttpHeaders.CONTENT_LENGTH, Integer.toString(blob.length));
                }
                exchange.sendResponseHeaders(200, head ? -1 : blob.length);
                if (!head) {
                    exchange.getResponseBody().write(blob);
                }
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
