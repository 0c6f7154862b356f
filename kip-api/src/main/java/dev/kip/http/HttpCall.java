package dev.kip.http;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/** One request and the ways to answer it. The body has been read whole. Called on the loop of the serving process. */
public interface HttpCall {

    String method();

    /** Decoded per segment on demand; as sent, starting with a slash, without the query. */
    String rawPath();

    /** Decoded, in the order sent; a parameter may come more than once. */
    ImmutableListMultimap<String, String> query();

    /** Names in lower case. */
    ImmutableListMultimap<String, String> headers();

    byte[] body();

    /** Who the client proved to be by its certificate: the subject's common name. Empty without mutual TLS. */
    Optional<String> peer();

    /** The groups that the client's certificate says it is of: the subject's organisations. Empty without mutual TLS. */
    default ImmutableList<String> peerGroups() {
        return ImmutableList.of();
    }

    /** Whole answer. */
    void respond(int status, ImmutableMap<String, String> headers, byte[] body);

    /** Begins an answer that is written piece by piece. */
    ResponseStream stream(int status, ImmutableMap<String, String> headers);

    /** Accepts an upgrade. Only for a request that carries {@code Upgrade: websocket}. */
    WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler);

    default Optional<String> header(String lowerCaseName) {
        return headers().get(lowerCaseName).stream().findFirst();
    }

    default Optional<String> parameter(String name) {
        return query().get(name).stream().findFirst();
    }

    /** An answer being written. */
    interface ResponseStream {

        /** Sends a piece; dropped when the client is gone. */
        void write(byte[] piece);

        /** Ends the answer properly. */
        void end();

        /** Cuts the connection without a proper end. */
        void abort();

        /** Runs once, on the loop, when the client has gone or the stream has ended. */
        void onClose(Runnable task);
    }

    /** The server's end of a WebSocket. */
    interface WebSocketPeer {

        void sendText(String text);

        void sendBinary(byte[] data);

        void close(int code, String reason);
    }

    /** What the client sends. Called on the loop. */
    interface WebSocketHandler {

        void text(String text);

        void binary(byte[] data);

        void closed();
    }
}
