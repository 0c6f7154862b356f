package dev.kip.sim.kernel;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.ByteArrayBodyContent;
import io.fabric8.kubernetes.client.http.StandardHttpRequest.StringBodyContent;
import io.fabric8.kubernetes.client.http.WebSocket;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * fabric8's HTTP client over the simulated network. Only what the ports use is there: {@link #consumeBytes}. It implements
 * the interface itself, since fabric8's StandardHttpClient arms its timeouts on a real clock.
 */
public final class SimHttpClient implements HttpClient {

    private final SimNetwork network;
    private final SimProcess process;
    private final Optional<String> peer;
    private boolean closed;

    /** @param peer the common name of the client certificate it presents */
    public SimHttpClient(SimNetwork network, SimProcess process, Optional<String> peer) {
        this.network = network;
        this.process = process;
        this.peer = peer;
    }

    @Override
    public CompletableFuture<HttpResponse<AsyncBody>> consumeBytes(
            HttpRequest request, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        CompletableFuture<HttpResponse<AsyncBody>> response = new CompletableFuture<>();
        Body body = new Body(consumer);
        URI uri = request.uri();
        SimNetwork.Request sent = new SimNetwork.Request(
                request.method(),
                uri.getRawPath(),
                uri.getRawQuery() == null ? "" : uri.getRawQuery(),
                headers(request),
                content(request),
                peer);
        body.exchange = Optional.of(network.send(process, uri, sent, new SimNetwork.Answer() {
            @Override
            public void head(int status, ImmutableMap<String, String> headers) {
                response.complete(new Response(status, headers, request, body));
            }

            @Override
            public void piece(byte[] piece) {
                body.arrived(piece);
            }

            @Override
            public void end() {
                body.ended();
            }

            @Override
            public void broken(IOException reason) {
                if (!response.completeExceptionally(reason)) {
                    body.broken(reason);
                }
            }
        }));
        return response;
    }

    private static ImmutableListMultimap<String, String> headers(HttpRequest request) {
        ImmutableListMultimap.Builder<String, String> headers = ImmutableListMultimap.builder();
        boolean typed = false;
        for (Map.Entry<String, List<String>> header : request.headers().entrySet()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            typed |= name.equals("content-type");
            headers.putAll(name, header.getValue());
        }
        if (!typed && request instanceof StandardHttpRequest standard && standard.getContentType() != null) {
            headers.put("content-type", standard.getContentType());
        }
        return headers.build();
    }

    private static byte[] content(HttpRequest request) {
        if (request instanceof StandardHttpRequest standard) {
            if (standard.body() instanceof ByteArrayBodyContent bytes) {
                return bytes.getContent();
            }
            if (standard.body() instanceof StringBodyContent text) {
                return text.getContent().getBytes(StandardCharsets.UTF_8);
            }
        }
        return new byte[0];
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public HttpRequest.Builder newHttpRequestBuilder() {
        return new StandardHttpRequest.Builder();
    }

    @Override
    public DerivedClientBuilder newBuilder() {
        throw new UnsupportedOperationException("the ports derive no clients");
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, Class<T> type) {
        throw new UnsupportedOperationException("the ports use consumeBytes");
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        throw new UnsupportedOperationException("the simulated network carries plain HTTP");
    }

    private record Response(int code, Map<String, List<String>> headers, HttpRequest request, AsyncBody body)
            implements HttpResponse<AsyncBody> {

        Response(int code, ImmutableMap<String, String> headers, HttpRequest request, AsyncBody body) {
            this(code, lists(headers), request, body);
        }

        private static Map<String, List<String>> lists(ImmutableMap<String, String> headers) {
            ImmutableMap.Builder<String, List<String>> lists = ImmutableMap.builder();
            headers.forEach((name, value) -> lists.put(name.toLowerCase(Locale.ROOT), List.of(value)));
            return lists.buildOrThrow();
        }

        @Override
        public List<String> headers(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
        }

        @Override
        public Optional<HttpResponse<?>> previousResponse() {
            return Optional.empty();
        }
    }

    /** Hands one piece over for each {@link #consume()}. */
    private static final class Body implements AsyncBody {

        private final Consumer<List<ByteBuffer>> consumer;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private final Deque<byte[]> waiting = new ArrayDeque<>();
        private Optional<SimExchange> exchange = Optional.empty();
        private Optional<IOException> failure = Optional.empty();
        private boolean wanted;
        private boolean complete;
        private boolean handing;

        Body(Consumer<List<ByteBuffer>> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void consume() {
            wanted = true;
            hand();
        }

        @Override
        public CompletableFuture<Void> done() {
            return done;
        }

        @Override
        public void cancel() {
            exchange.ifPresent(SimExchange::hangUp);
            done.cancel(false);
        }

        private void arrived(byte[] piece) {
            waiting.add(piece);
            hand();
        }

        private void ended() {
            complete = true;
            hand();
        }

        private void broken(IOException reason) {
            failure = Optional.of(reason);
            complete = true;
            hand();
        }

        private void hand() {
            if (handing) {
                return;
            }
            handing = true;
            try {
                while (wanted && !waiting.isEmpty() && !done.isDone()) {
                    wanted = false;
                    consumer.consume(List.of(ByteBuffer.wrap(waiting.remove())), this);
                }
                if (complete && waiting.isEmpty() && wanted) {
                    failure.ifPresentOrElse(done::completeExceptionally, () -> done.complete(null));
                }
            } catch (Exception bug) {
                done.completeExceptionally(bug);
            } finally {
                handing = false;
            }
        }
    }
}
