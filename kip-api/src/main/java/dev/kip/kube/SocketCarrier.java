package dev.kip.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;

/** A watch over a WebSocket: one event a message. */
final class SocketCarrier implements WebSocket.Listener {

    private static final int NORMAL = 1000;
    private static final int GOING_AWAY = 1001;

    private final WatchSession<?> session;

    private SocketCarrier(WatchSession<?> session) {
        this.session = session;
    }

    static void open(WebSocket.Builder builder, WatchSession<?> session) {
        Failures.calling(() -> builder.buildAsync(new SocketCarrier(session))).whenComplete((socket, failure) -> {
            if (failure != null) {
                session.abandon(refusal(session.what(), failure));
            } else {
                session.opened(new Socket(socket));
            }
        });
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
        received(text.getBytes(UTF_8));
    }

    @Override
    public void onMessage(WebSocket socket, ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        received(copy);
    }

    @Override
    public void onClose(WebSocket socket, int code, String reason) {
        session.finished(
                code == NORMAL || code == GOING_AWAY
                        ? new KubeError.Closed(session.what() + ": the server ended the watch")
                        : new KubeError.NoAnswer(session.what() + ": the socket was closed with " + code));
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
        session.finished(Failures.error(session.what(), error));
    }

    private void received(byte[] message) {
        if (message.length > WatchSession.MAX_EVENT_BYTES) {
            session.abandon(new KubeError.Garbled(
                    200, session.what() + ": an event of more than " + WatchSession.MAX_EVENT_BYTES + " bytes"));
        } else {
            session.received(ImmutableList.of(message));
        }
    }

    private static KubeError refusal(String what, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof WebSocketHandshakeException refused && refused.getResponse() != null
                ? Statuses.ofCode(what, refused.getResponse().code(), HttpAnswer.retryAfter(refused.getResponse()))
                : Failures.error(what, cause);
    }

    private record Socket(WebSocket socket) implements WatchSession.Carrier {

        @Override
        public void first() {} // an open socket brings one message unasked

        @Override
        public void next() {
            socket.request();
        }

        @Override
        public void cancel() {
            socket.sendClose(NORMAL, "");
        }
    }
}
