package dev.kip.kube;

import io.fabric8.kubernetes.client.http.HttpHeaders;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** A whole answer as it came over the wire. */
final class HttpAnswer {

    private final int code;
    private final Optional<Duration> retryAfter;
    private final byte[] body;

    private HttpAnswer(int code, Optional<Duration> retryAfter, byte[] body) {
        this.code = code;
        this.retryAfter = retryAfter;
        this.body = body;
    }

    static HttpAnswer of(HttpResponse<?> response, byte[] body) {
        return new HttpAnswer(response.code(), retryAfter(response), body);
    }

    int code() {
        return code;
    }

    Optional<Duration> retryAfter() {
        return retryAfter;
    }

    byte[] body() {
        return body;
    }

    boolean successful() {
        return code >= 200 && code < 300;
    }

    /** Only the form in seconds: the API server sends no other, and a date would be another machine's clock. */
    static Optional<Duration> retryAfter(HttpHeaders headers) {
        String value = headers.header("Retry-After");
        if (value == null || !value.strip().matches("[0-9]{1,6}")) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofSeconds(Long.parseLong(value.strip())));
    }
}
