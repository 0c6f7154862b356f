package dev.kip.cell.wire;

import com.google.common.base.Throwables;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One HTTP request and its whole answer. The stage completes on the loop, never exceptionally: with why there is none. */
final class Exchange {

    /** What a cell may say at most; far above any report. */
    private static final int LIMIT = 16 << 20;

    /** The connection is given up this long after the caller has stopped waiting. */
    private static final Duration LINGER = Duration.ofSeconds(2);

    private final Loop loop;
    private final CompletableFuture<Outcome<Answer, String>> result = new CompletableFuture<>();

    private Exchange(Loop loop) {
        this.loop = loop;
    }

    record Answer(int status, String body) {}

    /** @param body JSON; empty for none */
    static CompletionStage<Outcome<Answer, String>> send(
            HttpClient client, Loop loop, String method, String uri, String body, Duration deadline) {
        HttpRequest.Builder request = builder(client, uri, deadline);
        if (!body.isEmpty()) {
            request.method(method, Wire.CONTENT_TYPE, body);
        }
        return start(client, loop, request, deadline);
    }

    /** A GET on a connection that is not kept. */
    static CompletionStage<Outcome<Answer, String>> sendOnce(
            HttpClient client, Loop loop, String uri, Duration deadline) {
        return start(client, loop, builder(client, uri, deadline).header("Connection", "close"), deadline);
    }

    private static HttpRequest.Builder builder(HttpClient client, String uri, Duration deadline) {
        return client.newHttpRequestBuilder()
                .uri(uri)
                .timeout(deadline.plus(LINGER).toMillis(), TimeUnit.MILLISECONDS);
    }

    private static CompletionStage<Outcome<Answer, String>> start(
            HttpClient client, Loop loop, HttpRequest.Builder request, Duration deadline) {
        Exchange exchange = new Exchange(loop);
        exchange.start(client, request.build(), deadline);
        return exchange.result;
    }

    private void start(HttpClient client, HttpRequest request, Duration deadline) {
        Collected collected = new Collected();
        CompletableFuture<HttpResponse<AsyncBody>> response;
        try {
            response = client.consumeBytes(request, collected);
        } catch (RuntimeException e) {
            loop.post(() -> result.complete(Outcome.failed(reason(e))));
            return;
        }
        Loop.Timer timer = loop.after(deadline, () -> {
            if (result.complete(Outcome.failed("no answer within " + deadline.toSeconds() + " s"))) {
                response.cancel(true);
            }
        });
        response.whenComplete((head, error) -> {
            if (error != null) {
                settle(timer, Outcome.failed(reason(error)));
                return;
            }
            head.body()
                    .done()
                    .whenComplete((done, broken) -> settle(
                            timer,
                            broken == null
                                    ? Outcome.ok(new Answer(head.code(), collected.text()))
                                    : Outcome.failed(reason(broken))));
            head.body().consume();
        });
    }

    private void settle(Loop.Timer timer, Outcome<Answer, String> outcome) {
        loop.post(() -> {
            timer.cancel();
            result.complete(outcome);
        });
    }

    private static String reason(Throwable error) {
        Throwable cause = Throwables.getRootCause(error);
        @Nullable String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    /** Called by one network thread at a time, and read after the end of the body. */
    private static final class Collected implements AsyncBody.Consumer<List<ByteBuffer>> {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void consume(List<ByteBuffer> pieces, AsyncBody body) throws IOException {
            for (ByteBuffer piece : pieces) {
                byte[] copy = new byte[piece.remaining()];
                piece.get(copy);
                bytes.write(copy);
            }
            if (bytes.size() > LIMIT) {
                body.cancel();
                throw new IOException("the answer is longer than " + LIMIT + " bytes");
            }
            body.consume();
        }

        String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
