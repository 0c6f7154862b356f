package dev.kip.sim.cell;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A call with no network behind it; keeps what is answered. */
final class RecordedCall implements HttpCall {

    private final String path;
    private final ImmutableListMultimap<String, String> query;
    private final ImmutableListMultimap<String, String> headers;
    private final StringBuilder body = new StringBuilder();
    private final List<String> frames = new ArrayList<>();
    private int status;
    private boolean ended;
    private Optional<String> subprotocol = Optional.empty();
    private Runnable onClose = () -> {};

    RecordedCall(
            String path, ImmutableListMultimap<String, String> query, ImmutableListMultimap<String, String> headers) {
        this.path = path;
        this.query = query;
        this.headers = headers;
    }

    int status() {
        return status;
    }

    String text() {
        return body.toString();
    }

    boolean ended() {
        return ended;
    }

    /** What was sent after the upgrade: the channel's number, then its text. */
    List<String> frames() {
        return frames;
    }

    Optional<String> subprotocol() {
        return subprotocol;
    }

    /** The client goes. */
    void leave() {
        ended = true;
        onClose.run();
    }

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String rawPath() {
        return path;
    }

    @Override
    public ImmutableListMultimap<String, String> query() {
        return query;
    }

    @Override
    public ImmutableListMultimap<String, String> headers() {
        return headers;
    }

    @Override
    public byte[] body() {
        return new byte[0];
    }

    @Override
    public Optional<String> peer() {
        return Optional.empty();
    }

    @Override
    public void respond(int code, ImmutableMap<String, String> with, byte[] answer) {
        status = code;
        body.append(new String(answer, UTF_8));
        ended = true;
    }

    @Override
    public ResponseStream stream(int code, ImmutableMap<String, String> with) {
        status = code;
        return new ResponseStream() {
            @Override
            public void write(byte[] piece) {
                body.append(new String(piece, UTF_8));
            }

            @Override
            public void end() {
                leave();
            }

            @Override
            public void abort() {
                leave();
            }

            @Override
            public void onClose(Runnable task) {
                onClose = task;
            }
        };
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> chosen, WebSocketHandler handler) {
        status = 101;
        subprotocol = chosen;
        return new WebSocketPeer() {
            @Override
            public void sendText(String text) {
                frames.add(text);
            }

            @Override
            public void sendBinary(byte[] data) {
                frames.add(data[0] + new String(data, 1, data.length - 1, UTF_8));
            }

            @Override
            public void close(int code, String reason) {
                ended = true;
            }
        };
    }
}
