package dev.kip.http.vertx;

import dev.kip.http.HttpCall.ResponseStream;
import dev.kip.loop.Loop;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;

/** A chunked answer. Called on the loop; writes on the socket's thread, in the order of the calls. */
final class VertxStream implements ResponseStream {

    private final HttpServerRequest request;
    private final Context context;
    private final Loop loop;
    private final SendQueue queue = new SendQueue();
    private final List<Runnable> onClose = new ArrayList<>();
    private boolean closed;

    VertxStream(HttpServerRequest request, Context context, Loop loop) {
        this.request = request;
        this.context = context;
        this.loop = loop;
    }

    /** On the socket's thread. The head goes out at once: a client waits for it to know that its watch is open. */
    void begin(HttpServerResponse response) {
        if (response.closed()) {
            gone();
            return;
        }
        response.closeHandler(left -> gone());
        response.exceptionHandler(broken -> gone());
        if (response.headers().get("content-length") == null) {
            response.setChunked(true);
        }
        response.writeHead();
    }

    @Override
    public void write(byte[] piece) {
        context.runOnContext(on -> {
            HttpServerResponse response = request.response();
            if (response.closed() || response.ended()) {
                return;
            }
            if (!queue.admits(piece.length)) {
                request.connection().close();
                return;
            }
            queue.track(piece.length, response.write(Buffer.buffer(piece)));
        });
    }

    @Override
    public void end() {
        context.runOnContext(on -> {
            HttpServerResponse response = request.response();
            if (!response.closed() && !response.ended()) {
                response.end();
            }
            gone();
        });
    }

    @Override
    public void abort() {
        context.runOnContext(on -> request.connection().close());
    }

    @Override
    public void onClose(Runnable task) {
        if (closed) {
            loop.post(task);
        } else {
            onClose.add(task);
        }
    }

    private void gone() {
        loop.post(() -> {
            if (!closed) {
                closed = true;
                onClose.forEach(Runnable::run);
            }
        });
    }
}
