package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A real API server, reached over plain HTTP ({@code kubectl proxy} provides that, and the credentials). What takes a real
 * one a moment, the serving of a new definition, is waited for.
 */
final class HttpWire implements Wire {

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;

    /** @param base for example {@code http://127.0.0.1:8001} */
    HttpWire(String base) {
        this.base = base;
    }

    @Override
    public Answer send(String method, String pathAndQuery, ImmutableMap<String, String> headers, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + pathAndQuery.replace(" ", "%20")))
                .timeout(DEADLINE)
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        headers.forEach((name, value) -> {
            if (!value.isEmpty()) {
                request.header(name, value);
            }
        });
        try {
            HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            ImmutableMap.Builder<String, String> answered = ImmutableMap.builder();
            response.headers()
                    .map()
                    .forEach((name, values) -> answered.put(name.toLowerCase(Locale.ROOT), values.get(0)));
            if (!method.equals("GET") && pathAndQuery.contains("/customresourcedefinitions")) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
            }
            if (response.statusCode() == 429
                    && new String(response.body(), StandardCharsets.UTF_8).contains("(re)initializing")) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
                return send(method, pathAndQuery, headers, body);
            }
            return new Answer(response.statusCode(), answered.buildOrThrow(), response.body());
        } catch (IOException | InterruptedException broken) {
            throw new IllegalStateException(method + " " + pathAndQuery + " got no answer from " + base, broken);
        }
    }
}
