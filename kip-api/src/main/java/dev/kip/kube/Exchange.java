package dev.kip.kube;

import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request and its whole answer. Whichever comes first on the loop, the decoded answer, a failure or the deadline, is
 * the outcome; what comes later is dropped.
 */
final class Exchange<T> {

    /** An unlimited list of 10,000 large pods is some 100 MB; nothing that the API serves comes near this. */
    static final int MAX_BODY_BYTES = 256 << 20;

    private final String what;
    private final Loop loop;
    private final Executor decoder;
    private final CompletableFuture<Outcome<T, KubeError>> outcome = new CompletableFuture<>();
    private final Loop.Timer deadline;
    private final CompletableFuture<HttpResponse<AsyncBody>> response;
    private final Function<HttpAnswer, Outcome<T, KubeError>> decode;

    private Exchange(
            String what,
            HttpClient client,
            Loop loop,
            Executor decoder,
            Duration timeout,
            HttpRequest request,
            Function<HttpAnswer, Outcome<T, KubeError>> decode) {
        this.what = what;
        this.loop = loop;
        this.decoder = decoder;
        this.decode = decode;
        this.deadline = loop.after(timeout, () -> late(timeout));
        var body = new Collected();
        this.response = Failures.calling(() -> client.consumeBytes(request, body));
        response.whenComplete((head, failure) -> {
            if (failure != null) {
                fail(Failures.error(what, failure));
            } else {
                head.body().done().whenComplete((done, cut) -> whole(head, body, cut));
                head.body().consume();
            }
        });
    }

    /** Sends {@code request}. The stage completes on the loop. Called on the loop. */
    static <T> CompletionStage<Outcome<T, KubeError>> send(
            String what,
            HttpClient client,
            Loop loop,
            Executor decoder,
            Duration timeout,
            HttpRequest request,
            Function<HttpAnswer, Outcome<T, KubeError>> decode) {
        return new Exchange<>(what, client, loop, decoder, timeout, request, decode).outcome;
    }

    private void whole(HttpResponse<AsyncBody> head, Collected body, @Nullable Throwable cut) {
        if (cut != null) {
            fail(Failures.error(what, cut));
            return;
        }
        Failures.run(
                decoder,
                () -> finish(decoded(HttpAnswer.of(head, body.bytes()))),
                () -> finish(Outcome.failed(new KubeError.NoAnswer(what + ": this process is ending"))));
    }

    private Outcome<T, KubeError> decoded(HttpAnswer answer) {
        try {
            return decode.apply(answer);
        } catch (RuntimeException e) {
            return Outcome.failed(new KubeError.Garbled(answer.code(), what + ": " + e));
        }
    }

    private void fail(KubeError error) {
        finish(Outcome.failed(error));
    }

    private void finish(Outcome<T, KubeError> result) {
        loop.post(() -> {
            deadline.cancel();
            outcome.complete(result);
        });
    }

    private void late(Duration timeout) {
        if (outcome.complete(Outcome.failed(
                new KubeError.NoAnswer(what + ": no whole answer within " + timeout.toMillis() + " ms")))) {
            response.whenComplete((head, failure) -> {
                if (head != null) {
                    head.body().cancel();
                }
            });
            response.cancel(false);
        }
    }

    /** Gathers the body. Its callbacks come one after the other. */
    private final class Collected implements AsyncBody.Consumer<List<ByteBuffer>> {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void consume(List<ByteBuffer> buffers, AsyncBody body) {
            for (ByteBuffer buffer : buffers) {
                if (bytes.size() + buffer.remaining() > MAX_BODY_BYTES) {
                    body.cancel();
                    fail(new KubeError.Garbled(200, what + ": an answer of more than " + MAX_BODY_BYTES + " bytes"));
                    return;
                }
                byte[] copy = new byte[buffer.remaining()];
                buffer.get(copy);
                bytes.write(copy, 0, copy.length);
            }
            body.consume();
        }

        byte[] bytes() {
            return bytes.toByteArray();
        }
    }
}
