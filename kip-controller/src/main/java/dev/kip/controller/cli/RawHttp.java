package dev.kip.controller.cli;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Asks a server for what no port tells: which version it is, and what its clock says. */
final class RawHttp {

    /**
     * An answer, whatever its status.
     *
     * @param date by the server's clock, in whole seconds
     */
    record Answer(Optional<Instant> date, String body) {}

    private RawHttp() {}

    /** The stage completes on a thread of the client; exceptionally if there is no answer. */
    static CompletionStage<Answer> get(HttpClient client, URI uri) {
        return client.sendAsync(client.newHttpRequestBuilder().uri(uri).build(), String.class)
                .thenApply(RawHttp::answer);
    }

    private static Answer answer(HttpResponse<String> response) {
        Optional<Instant> date = Optional.ofNullable(response.header("Date")).flatMap(RawHttp::time);
        return new Answer(date, Optional.ofNullable(response.body()).orElse(""));
    }

    private static Optional<Instant> time(String header) {
        try {
            return Optional.of(DateTimeFormatter.RFC_1123_DATE_TIME.parse(header, Instant::from));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
