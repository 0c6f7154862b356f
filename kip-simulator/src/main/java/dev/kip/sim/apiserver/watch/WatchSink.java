package dev.kip.sim.apiserver.watch;

import dev.kip.http.HttpCall.ResponseStream;
import dev.kip.http.HttpCall.WebSocketPeer;
import java.nio.charset.StandardCharsets;

/** Where the events of one watch go. */
public interface WatchSink {

    /** One event: a JSON object that ends with a line feed. Not to be modified. */
    void send(byte[] event);

    void end();

    /** A chunked body. */
    static WatchSink of(ResponseStream stream) {
        return new WatchSink() {
            @Override
            public void send(byte[] event) {
                stream.write(event);
            }

            @Override
            public void end() {
                stream.end();
            }
        };
    }

    /** A WebSocket, one text frame an event. */
    static WatchSink of(WebSocketPeer peer) {
        return new WatchSink() {
            @Override
            public void send(byte[] event) {
                peer.sendText(new String(event, 0, event.length - 1, StandardCharsets.UTF_8));
            }

            @Override
            public void end() {
                peer.close(1000, "");
            }
        };
    }
}
