package dev.kip.sim;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** One request straight into a service that answers at once. */
public final class PlainCall implements HttpCall {

    private final String method;
    private final String path;
    private final ImmutableListMultimap<String, String> query;
    private final ImmutableListMultimap<String, String> headers;
    private final String body;
    private int status;
    private String answer = "";

    private PlainCall(
            String method,
            String path,
            ImmutableMap<String, String> query,
            ImmutableMap<String, String> headers,
            String body) {
        this.method = method;
        this.path = path;
        this.query = ImmutableListMultimap.copyOf(query.entrySet());
        this.headers = ImmutableListMultimap.copyOf(headers.entrySet());
        this.body = body;
    }

    /** @param headers by their names in lower case */
    public static PlainCall send(
            HttpService service,
            String method,
            String path,
            ImmutableMap<String, String> query,
            ImmutableMap<String, String> headers,
            String body) {
        PlainCall call = new PlainCall(method, path, query, headers, body);
        service.handle(call);
        return call;
    }

    public int status() {
        return status;
    }

    public String answer() {
        return answer;
    }

    @Override
    public String method() {
        return method;
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
        return body.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Optional<String> peer() {
        return Optional.empty();
    }

    @Override
    public void respond(int code, ImmutableMap<String, String> answerHeaders, byte[] content) {
        status = code;
        answer = new String(content, StandardCharsets.UTF_8);
    }

    @Override
    public ResponseStream stream(int code, ImmutableMap<String, String> answerHeaders) {
        throw new UnsupportedOperationException("it answers whole");
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
        throw new UnsupportedOperationException("it answers whole");
    }
}
