package dev.kip.kube.vertx;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A client whose closing ends its threads too. */
final class Owning implements HttpClient {

    private final HttpClient client;
    private final Vertx vertx;

    Owning(HttpClient client, Vertx vertx) {
        this.client = client;
        this.vertx = vertx;
    }

    @Override
    public void close() {
        client.close();
        vertx.close();
    }

    @Override
    public DerivedClientBuilder newBuilder() {
        return client.newBuilder();
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, Class<T> type) {
        return client.sendAsync(request, type);
    }

    @Override
    public CompletableFuture<HttpResponse<AsyncBody>> consumeBytes(
            HttpRequest request, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        return client.consumeBytes(request, consumer);
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return client.newWebSocketBuilder();
    }

    @Override
    public HttpRequest.Builder newHttpRequestBuilder() {
        return client.newHttpRequestBuilder();
    }

    @Override
    public boolean isClosed() {
        return client.isClosed();
    }
}
