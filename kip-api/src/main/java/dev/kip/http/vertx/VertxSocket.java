package dev.kip.http.vertx;

import dev.kip.http.HttpCall.WebSocketHandler;
import dev.kip.http.HttpCall.WebSocketPeer;
import dev.kip.loop.Loop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Function;

/** The server's end of a WebSocket. Called on the loop; what is sent before the upgrade is done waits for it. */
final class VertxSocket implements WebSocketPeer {

    private final Context context;
    private final Loop loop;
    private final WebSocketHandler handler;

    // Confined to the socket's thread.
    private final SendQueue queue = new SendQueue();
    private final Queue<Consumer<ServerWebSocket>> early = new ArrayDeque<>();
    private Optional<ServerWebSocket> socket = Optional.empty();
    private boolean gone;

    VertxSocket(Context context, Loop loop, WebSocketHandler handler) {
        this.context = context;
        this.loop = loop;
        this.handler = handler;
    }

    /** On the socket's thread. */
    void opened(ServerWebSocket open) {
        open.textMessageHandler(text -> loop.post(() -> handler.text(text)));
        open.binaryMessageHandler(data -> {
            byte[] bytes = data.getBytes();
            loop.post(() -> handler.binary(bytes));
        });
        open.exceptionHandler(broken -> {}); // the close handler follows
        open.closeHandler(left -> closed());
        socket = Optional.of(open);
        early.forEach(send -> send.accept(open));
        early.clear();
    }

    /** On the socket's thread. */
    void failed(Throwable why) {
        closed();
    }

    @Override
    public void sendText(String text) {
        send(text.length(), open -> open.writeTextMessage(text));
    }

    @Override
    public void sendBinary(byte[] data) {
        send(data.length, open -> open.writeBinaryMessage(Buffer.buffer(data)));
    }

    @Override
    public void close(int code, String reason) {
        whenOpen(open -> {
            if (!open.isClosed()) {
                open.close((short) code, reason);
            }
        });
    }

    private void send(int bytes, Function<ServerWebSocket, Future<Void>> write) {
        whenOpen(open -> {
            if (open.isClosed()) {
                return;
            }
            if (queue.admits(bytes)) {
                queue.track(bytes, write.apply(open));
            } else {
                open.close((short) 1008, "too slow");
            }
        });
    }

    private void whenOpen(Consumer<ServerWebSocket> action) {
        context.runOnContext(on -> {
            if (socket.isPresent()) {
                action.accept(socket.get());
            } else if (!gone) {
                early.add(action);
            }
        });
    }

    private void closed() {
        if (!gone) {
            gone = true;
            early.clear();
            loop.post(handler::closed);
        }
    }
}
