package dev.kip.sim.kernel;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The server's view of a simulated request. */
final class SimCall implements HttpCall {

    private final Kernel kernel;
    private final SimExchange exchange;
    private final SimNetwork.Request request;

    SimCall(Kernel kernel, SimExchange exchange, SimNetwork.Request request) {
        this.kernel = kernel;
        this.exchange = exchange;
        this.request = request;
    }

    /** A whole answer. */
    record Whole(int status, ImmutableMap<String, String> headers, byte[] body) {}

    /** Calls a service that answers within its {@code handle}. */
    static Whole answerNow(HttpService service, SimNetwork.Request request) {
        Immediate call = new Immediate(request);
        service.handle(call);
        return call.answer.orElseThrow(() -> new IllegalStateException(
                "the service did not answer " + request.method() + " " + request.rawPath() + " at once"));
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
        return parse(request.rawQuery());
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
                exchange.breakOff(new java.io.IOException("connection reset in the middle of the answer"));
            }

            @Override
            public void onClose(Runnable task) {
                exchange.onServerClose(task);
            }
        };
    }

    @Override
    public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
        throw new UnsupportedOperationException("the simulated network carries plain HTTP; at " + kernel.elapsed());
    }

    static ImmutableListMultimap<String, String> parse(String rawQuery) {
        ImmutableListMultimap.Builder<String, String> query = ImmutableListMultimap.builder();
        for (String pair : Splitter.on('&').omitEmptyStrings().split(rawQuery)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            query.put(
                    URLDecoder.decode(name, StandardCharsets.UTF_8), URLDecoder.decode(value, StandardCharsets.UTF_8));
        }
        return query.build();
    }

    /** A call whose answer is kept. */
    private static final class Immediate implements HttpCall {

        private final SimNetwork.Request request;
        private Optional<Whole> answer = Optional.empty();

        Immediate(SimNetwork.Request request) {
            this.request = request;
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
            return parse(request.rawQuery());
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
        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
            answer = Optional.of(new Whole(status, headers, body));
        }

        @Override
        public ResponseStream stream(int status, ImmutableMap<String, String> headers) {
            throw new UnsupportedOperationException("a blocking client reads whole answers");
        }

        @Override
        public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
            throw new UnsupportedOperationException("a blocking client reads whole answers");
        }
    }
}
