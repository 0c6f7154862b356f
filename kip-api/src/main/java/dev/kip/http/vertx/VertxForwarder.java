package dev.kip.http.vertx;

import dev.kip.http.Forwarder;
import dev.kip.http.HttpCall;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;

/** Hands calls of a {@link VertxHttpServer} on over HTTPS. */
public final class VertxForwarder implements Forwarder, AutoCloseable {

    private static final int MOST_AT_ONE_SERVER = 4096;

    private final Vertx vertx;
    private final Loop loop;
    private final HttpClient client;
    private final Settings settings;

    /**
     * @param idle a spliced stream on which nothing moves for so long is cut; up to a fifth later
     * @param connectTimeout of a connection
     */
    public record Settings(Duration idle, Duration connectTimeout) {

        /** As a kubelet has it. */
        public static final Settings DEFAULTS = new Settings(Duration.ofHours(4), Duration.ofSeconds(5));
    }

    /**
     * @param key shown to the other servers
     * @param trust decides who they may be; names in certificates are not looked at besides
     */
    public VertxForwarder(Vertx vertx, Loop loop, X509KeyManager key, TrustManager trust, Settings settings) {
        this.vertx = vertx;
        this.loop = loop;
        this.settings = settings;
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setSsl(true)
                        .setVerifyHost(false)
                        .setKeyCertOptions(KeyCertOptions.wrap(key))
                        .setTrustOptions(TrustOptions.wrap(trust))
                        .setTcpKeepAlive(true)
                        .setTcpNoDelay(true),
                new PoolOptions().setHttp1MaxSize(MOST_AT_ONE_SERVER));
    }

    @Override
    public Forwarded forward(HttpCall call, Onward onward, Runnable ended) {
        if (!(call instanceof VertxCall taken)) {
            throw new IllegalArgumentException("no call of a socket: " + call);
        }
        taken.take();
        Forwarding forwarding = new Forwarding(taken, onward, settings, vertx, client, ended);
        taken.context().runOnContext(on -> forwarding.begin());
        return forwarding;
    }

    @Override
    public CompletionStage<Outcome<byte[], String>> fetch(Onward onward, Duration patience, int most) {
        CompletableFuture<Outcome<byte[], String>> result = new CompletableFuture<>();
        RequestOptions options = new RequestOptions()
                .setHost(onward.host())
                .setPort(onward.port())
                .setMethod(HttpMethod.GET)
                .setURI(onward.uri())
                .setConnectTimeout(settings.connectTimeout().toMillis());
        client.request(options)
                .compose(out -> {
                    onward.authorization().ifPresent(value -> out.putHeader("authorization", value));
                    return out.send();
                })
                .compose(in -> read(in, most))
                .timeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .onComplete(
                        body -> loop.post(() -> result.complete(Outcome.ok(body))),
                        why -> loop.post(
                                () -> result.complete(Outcome.failed(onward.who() + ": " + why.getMessage()))));
        return result;
    }

    private static io.vertx.core.Future<byte[]> read(HttpClientResponse in, int most) {
        return in.body()
                .compose(body -> in.statusCode() != 200
                        ? io.vertx.core.Future.failedFuture("HTTP " + in.statusCode())
                        : body.length() > most
                                ? io.vertx.core.Future.failedFuture("more than " + most + " bytes")
                                : io.vertx.core.Future.succeededFuture(body.getBytes()));
    }

    @Override
    public void close() {
        client.close();
    }
}
