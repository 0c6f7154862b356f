package dev.kip.kube;

import com.google.common.collect.ImmutableList;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A watch over a chunked HTTP body: one event a line. */
final class StreamCarrier implements AsyncBody.Consumer<List<ByteBuffer>> {

    /** The body of a refusal is a Status, or a page of HTML of which the start is enough. */
    private static final int MAX_REFUSAL_BYTES = 64 << 10;

    private final WatchSession<?> session;
    private final LineFramer lines = new LineFramer(WatchSession.MAX_EVENT_BYTES);
    private final ByteArrayOutputStream refusal = new ByteArrayOutputStream();
    private volatile boolean refused;

    private StreamCarrier(WatchSession<?> session) {
        this.session = session;
    }

    static void open(HttpClient client, HttpRequest request, WatchSession<?> session) {
        var carrier = new StreamCarrier(session);
        Failures.calling(() -> client.consumeBytes(request, carrier)).whenComplete((head, failure) -> {
            if (failure != null) {
                session.abandon(Failures.error(session.what(), failure));
            } else if (head.code() == 200) {
                head.body().done().whenComplete((done, cut) -> carrier.ended(cut));
                session.opened(new Body(head.body()));
            } else {
                carrier.refused = true;
                head.body().done().whenComplete((done, cut) -> carrier.refusedBy(head));
                head.body().consume();
            }
        });
    }

    @Override
    public void consume(List<ByteBuffer> buffers, AsyncBody body) {
        if (refused) {
            for (ByteBuffer buffer : buffers) {
                byte[] bytes = new byte[Math.min(buffer.remaining(), MAX_REFUSAL_BYTES - refusal.size())];
                buffer.get(bytes);
                refusal.write(bytes, 0, bytes.length);
            }
            body.consume();
            return;
        }
        ImmutableList<byte[]> complete;
        try {
            complete = lines.add(buffers);
        } catch (LineFramer.OversizeException e) {
            session.abandon(new KubeError.Garbled(200, session.what() + ": " + e.getMessage()));
            return;
        }
        session.received(complete);
    }

    private void ended(@Nullable Throwable cut) {
        if (cut != null) {
            session.finished(Failures.error(session.what(), cut));
        } else if (lines.inLine()) {
            session.finished(new KubeError.NoAnswer(session.what() + ": the stream was cut within an event"));
        } else {
            session.finished(new KubeError.Closed(session.what() + ": the server ended the watch"));
        }
    }

    private void refusedBy(HttpResponse<AsyncBody> head) {
        session.abandon(Statuses.read(session.what(), false, HttpAnswer.of(head, refusal.toByteArray())));
    }

    private record Body(AsyncBody body) implements WatchSession.Carrier {

        @Override
        public void first() {
            body.consume();
        }

        @Override
        public void next() {
            body.consume();
        }

        @Override
        public void cancel() {
            body.cancel();
        }
    }
}
