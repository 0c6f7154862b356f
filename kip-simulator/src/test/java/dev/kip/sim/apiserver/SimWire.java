package dev.kip.sim.apiserver;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.io.ByteArrayOutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A simulated server of its own, called directly; time runs while an answer is awaited. */
final class SimWire implements Wire {

    final Kernel kernel = new Kernel(7, Instant.parse("2026-11-30T12:00:00Z"), new Trace(false));
    final SimProcess process = new SimProcess(kernel, "apiserver");
    final ApiServer server;

    SimWire() {
        this(ApiServerSettings.DEFAULT.withTrackedManagers());
    }

    SimWire(ApiServerSettings settings) {
        server = new ApiServer(process, kernel.entropy("apiserver"), settings);
    }

    @Override
    public Answer send(String method, String pathAndQuery, ImmutableMap<String, String> headers, byte[] body) {
        Call call = open(method, pathAndQuery, headers, body);
        kernel.runUntil(() -> call.ended, Duration.ofHours(2));
        kernel.runFor(Duration.ofMillis(1));
        return call.answer();
    }

    /** Sends a request and returns at once; what comes is collected. */
    Call open(String method, String pathAndQuery, ImmutableMap<String, String> headers, byte[] body) {
        Call call = new Call(method, pathAndQuery, headers, body);
        server.handle(call);
        return call;
    }

    /** One request and what has been answered so far. */
    static final class Call implements HttpCall {

        private final String method;
        private final String path;
        private final ImmutableListMultimap<String, String> query;
        private final ImmutableListMultimap<String, String> headers;
        private final byte[] body;
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        private int status;
        private ImmutableMap<String, String> answerHeaders = ImmutableMap.of();
        private Optional<Runnable> onClose = Optional.empty();
        private Optional<WebSocketHandler> socket = Optional.empty();
        boolean ended;

        Call(String method, String pathAndQuery, ImmutableMap<String, String> headers, byte[] body) {
            this.method = method;
            int mark = pathAndQuery.indexOf('?');
            this.path = mark < 0 ? pathAndQuery : pathAndQuery.substring(0, mark);
            this.query = query(mark < 0 ? "" : pathAndQuery.substring(mark + 1));
            ImmutableListMultimap.Builder<String, String> lower = ImmutableListMultimap.builder();
            headers.forEach((name, value) -> lower.put(name.toLowerCase(Locale.ROOT), value));
            this.headers = lower.build();
            this.body = body;
        }

        private static ImmutableListMultimap<String, String> query(String raw) {
            ImmutableListMultimap.Builder<String, String> query = ImmutableListMultimap.builder();
            for (String pair : Splitter.on('&').omitEmptyStrings().split(raw)) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                query.put(
                        URLDecoder.decode(name, StandardCharsets.UTF_8),
                        URLDecoder.decode(value, StandardCharsets.UTF_8));
            }
            return query.build();
        }

        Answer answer() {
            ImmutableMap.Builder<String, String> lower = ImmutableMap.builder();
            for (Map.Entry<String, String> header : answerHeaders.entrySet()) {
                lower.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
            }
            return new Answer(status, lower.buildOrThrow(), received.toByteArray());
        }

        /** The client goes away. */
        void leave() {
            onClose.ifPresent(Runnable::run);
            socket.ifPresent(WebSocketHandler::closed);
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
            return body;
        }

        @Override
        public Optional<String> peer() {
            return Optional.empty();
        }

        @Override
        public void respond(int code, ImmutableMap<String, String> with, byte[] answer) {
            status = code;
            answerHeaders = with;
            received.writeBytes(answer);
            ended = true;
        }

        @Override
        public ResponseStream stream(int code, ImmutableMap<String, String> with) {
            status = code;
            answerHeaders = with;
            return new ResponseStream() {
                @Override
                public void write(byte[] piece) {
                    received.writeBytes(piece);
                }

                @Override
                public void end() {
                    ended = true;
                }

                @Override
                public void abort() {
                    ended = true;
                }

                @Override
                public void onClose(Runnable task) {
                    onClose = Optional.of(task);
                }
            };
        }

        @Override
        public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
            status = 101;
            socket = Optional.of(handler);
            return new WebSocketPeer() {
                @Override
                public void sendText(String text) {
                    received.writeBytes((text + "\n").getBytes(StandardCharsets.UTF_8));
                }

                @Override
                public void sendBinary(byte[] data) {
                    received.writeBytes(data);
                }

                @Override
                public void close(int code, String reason) {
                    ended = true;
                }
            };
        }
    }
}
