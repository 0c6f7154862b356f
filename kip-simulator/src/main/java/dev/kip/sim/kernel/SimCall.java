package dev.kip.sim.kernel;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The server's view of a simulated request. How it is answered differs: piece by piece in time, or whole and at once. */
abstract class SimCall implements HttpCall {

    private final SimNetwork.Request request;

    private SimCall(SimNetwork.Request request) {
        this.request = request;
    }

    /** A whole answer. */
    record Whole(int status, ImmutableMap<String, String> headers, byte[] body) {}

    /** A call whose answer crosses the network. */
    static SimCall over(SimExchange exchange, SimNetwork.Request request) {
        return new Crossing(exchange, request);
    }

    /**
     * Calls a service that answers within its {@code handle}.
     *
     * @param mayBeSilent whether something stands before it that may swallow the call
     * @throws SimNetwork.Silence if it was swallowed
     */
    static Whole answerNow(HttpService service, SimNetwork.Request request, boolean mayBeSilent)
            throws SimNetwork.Silence {
        Immediate call = new Immediate(request);
        service.handle(call);
        if (call.answer.isEmpty() && !mayBeSilent) {
            throw new IllegalStateException(
                    "the service did not answer " + request.method() + " " + request.rawPath() + " at once");
        }
        return call.answer.orElseThrow(SimNetwork.Silence::new);
    }

    @Override
    public String method() {
        return request.method();
    }

    @Override
    public String rawPath() {
        return request.rawPath();
    }

    @Override
    public ImmutableListMultimap<String, String> query() {
        ImmutableListMultimap.Builder<String, String> query = ImmutableListMultimap.builder();
        for (String pair : Splitter.on('&').omitEmptyStrings().split(request.rawQuery())) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            query.put(
                    URLDecoder.decode(name, StandardCharsets.UTF_8), URLDecoder.decode(value, StandardCharsets.UTF_8));
        }
        return query.build();
    }

    @Override
    public ImmutableListMultimap<String, String> headers() {
        return request.headers();
    }

    @Override
    public byte[] body() {
        return request.body();
    }

    @Override
    public Optional<String> peer() {
        return request.peer();
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
        throw new UnsupportedOperationException("the simulated network carries plain HTTP");
    }

    private static final class Crossing extends SimCall {

        private final SimExchange exchange;

        Crossing(SimExchange exchange, SimNetwork.Request request) {
            super(request);
            this.exchange = exchange;
        }

        @Override
        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
            exchange.head(status, headers);
            exchange.piece(body);
            exchange.end();
        }

        @Override
        public ResponseStream stream(int status, ImmutableMap<String, String> headers) {
            exchange.head(status, headers);
            return new ResponseStream() {
                @Override
                public void write(byte[] piece) {
                    exchange.piece(piece);
                }

                @Override
                public void end() {
                    exchange.end();
                }

                @Override
                public void abort() {
                    exchange.breakOff(new IOException("connection reset in the middle of the answer"));
                }

                @Override
                public void onClose(Runnable task) {
                    exchange.onServerClose(task);
                }
            };
        }
    }

    /** A call whose answer is kept. */
    private static final class Immediate extends SimCall {

        private Optional<Whole> answer = Optional.empty();

        Immediate(SimNetwork.Request request) {
            super(request);
        }

        @Override
        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
            answer = Optional.of(new Whole(status, headers, body));
        }

        @Override
        public ResponseStream stream(int status, ImmutableMap<String, String> headers) {
            throw new UnsupportedOperationException("a blocking client reads whole answers");
        }
    }
}
