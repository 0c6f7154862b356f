package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URLDecoder;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request of a socket. Read on the socket's thread, handled on the loop, answered on the socket's thread again. */
final class VertxCall implements HttpCall {

    /** Of RFC 9110, 5.6.7. */
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private static final Logger LOG = LoggerFactory.getLogger(VertxCall.class);

    private final HttpServerRequest request;
    private final Context context;
    private final Loop loop;
    private final ImmutableListMultimap<String, String> query;
    private final ImmutableListMultimap<String, String> headers;
    private final byte[] body;
    private final Optional<String> peer;

    /** Confined to the loop. */
    private boolean answered;

    private VertxCall(
            HttpServerRequest request,
            Context context,
            Loop loop,
            ImmutableListMultimap<String, String> query,
            byte[] body) {
        this.request = request;
        this.context = context;
        this.loop = loop;
        this.query = query;
        this.headers = headersOf(request);
        this.body = body;
        this.peer = PeerName.of(request);
    }

    /** On the socket's thread. */
    static void receive(HttpServerRequest request, int maxBodyBytes, Loop loop, HttpService service) {
        ImmutableListMultimap<String, String> query;
        try {
            query = queryOf(request.query());
        } catch (IllegalArgumentException e) {
            request.response().setStatusCode(400).end("the query cannot be decoded: " + e.getMessage());
            return;
        }
        // Vert.x reads the (empty) body of an upgrade itself, and only once it has been accepted.
        if (request.canUpgradeToWebSocket()) {
            request.pause();
            handle(request, loop, service, query, new byte[0]);
            return;
        }
        Buffer body = Buffer.buffer();
        request.exceptionHandler(broken -> {}); // the client left: nobody waits for an answer
        request.handler(piece -> {
            if (body.length() + piece.length() > maxBodyBytes) {
                request.handler(null);
                request.endHandler(null);
                request.response()
                        .putHeader("Connection", "close")
                        .setStatusCode(413)
                        .end("the body is larger than " + maxBodyBytes + " bytes")
                        .onComplete(done -> request.connection().close());
            } else {
                body.appendBuffer(piece);
            }
        });
        request.endHandler(end -> handle(request, loop, service, query, body.getBytes()));
    }

    private static void handle(
            HttpServerRequest request,
            Loop loop,
            HttpService service,
            ImmutableListMultimap<String, String> query,
            byte[] body) {
        var call = new VertxCall(request, Vertx.currentContext(), loop, query, body);
        loop.post(() -> {
            try {
                service.handle(call);
            } catch (RuntimeException e) {
                LOG.error("{} {} failed", call.method(), call.rawPath(), e);
                if (!call.answered) {
                    call.respond(500, ImmutableMap.of("content-type", "text/plain"), "internal error".getBytes(UTF_8));
                }
            }
        });
    }

    @Override
    public String method() {
        return PostedUpgrades.method(request);
    }

    @Override
    public String rawPath() {
        return request.path() == null ? "/" : request.path();
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
        return body;
    }

    @Override
    public Optional<String> peer() {
        return peer;
    }

    @Override
    public void respond(int status, ImmutableMap<String, String> responseHeaders, byte[] responseBody) {
        answer();
        String date = DATE.format(loop.now());
        context.runOnContext(on -> {
            HttpServerResponse response = head(status, date, responseHeaders);
            if (response.closed()) {
                return;
            }
            if (request.method().equals(HttpMethod.HEAD)) {
                response.putHeader("content-length", Integer.toString(responseBody.length))
                        .end();
            } else {
                response.end(Buffer.buffer(responseBody));
            }
        });
    }

    @Override
    public ResponseStream stream(int status, ImmutableMap<String, String> responseHeaders) {
        answer();
        var stream = new VertxStream(request, context, loop);
        String date = DATE.format(loop.now());
        context.runOnContext(on -> stream.begin(head(status, date, responseHeaders)));
        return stream;
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
        answer();
        var socket = new VertxSocket(context, loop, handler);
        context.runOnContext(on -> {
            if (subprotocol.isPresent()) {
                request.headers().set("sec-websocket-protocol", subprotocol.get());
            } else {
                request.headers().remove("sec-websocket-protocol");
            }
            request.toWebSocket().onComplete(socket::opened, socket::failed);
        });
        return socket;
    }

    @Override
    public ImmutableList<String> peerGroups() {
        return PeerName.groups(request);
    }

    /** The answer is somebody else's. */
    void take() {
        answer();
    }

    HttpServerRequest request() {
        return request;
    }

    Context context() {
        return context;
    }

    Loop loop() {
        return loop;
    }

    private void answer() {
        if (answered) {
            throw new IllegalStateException(method() + " " + rawPath() + " has been answered already");
        }
        answered = true;
    }

    private HttpServerResponse head(int status, String date, ImmutableMap<String, String> responseHeaders) {
        if (request.canUpgradeToWebSocket()) {
            request.resume(); // an upgrade was asked for and refused
        }
        HttpServerResponse response = request.response().setStatusCode(status).putHeader("date", date);
        responseHeaders.forEach((name, value) -> response.putHeader(name, value));
        return response;
    }

    private static ImmutableListMultimap<String, String> headersOf(HttpServerRequest request) {
        var headers = ImmutableListMultimap.<String, String>builder();
        for (Map.Entry<String, String> header : request.headers()) {
            headers.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
        }
        return headers.build();
    }

    private static ImmutableListMultimap<String, String> queryOf(@Nullable String raw) {
        var query = ImmutableListMultimap.<String, String>builder();
        if (raw != null) {
            for (String pair : raw.split("&")) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                if (!name.isEmpty()) {
                    query.put(URLDecoder.decode(name, UTF_8), URLDecoder.decode(value, UTF_8));
                }
            }
        }
        return query.build();
    }
}
