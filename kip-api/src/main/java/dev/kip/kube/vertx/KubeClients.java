package dev.kip.kube.vertx;

import com.google.common.base.Throwables;
import dev.kip.http.vertx.VertxHttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import io.fabric8.kubernetes.client.vertx5.Vertx5HttpClientFactory;
import io.vertx.core.Vertx;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.ext.web.client.WebClientOptions;
import java.io.File;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Opens fabric8's HTTP client on Vert.x, with its own retries switched off: a retry is a decision, made on the loop. The
 * caller closes what it opened.
 */
public final class KubeClients {

    /** A watch is asked to end after less than a minute, and brings bookmarks before that. */
    private static final int IDLE_SECONDS = 120;

    /** The API server where nothing says which. */
    private static final String NOWHERE = "kubernetes.default.svc";

    private KubeClients() {}

    /**
     * Where the API server is and who we are there: {@code kubeconfig} if given, else what the environment says
     * ({@code KUBECONFIG}, {@code ~/.kube/config}, the pod's service account).
     *
     * @throws IllegalArgumentException naming the file and what is wrong with it
     */
    public static Config config(Optional<File> kubeconfig) {
        if (kubeconfig.isEmpty()) {
            Config found = Config.autoConfigure(null);
            if (base(found).getHost().equals(NOWHERE) && found.getAutoOAuthToken() == null) {
                throw new IllegalArgumentException(
                        "there is no kubeconfig: $KUBECONFIG and ~/.kube/config name no file that is"
                                + " there, and this is no pod with a service account; name one by --kubeconfig");
            }
            return found;
        }
        File file = kubeconfig.get();
        if (!file.isFile() || !file.canRead()) {
            throw new IllegalArgumentException("kubeconfig " + file + ": no such file, or not readable");
        }
        try {
            Config config = Config.fromKubeconfig(file);
            if (config.getCurrentContext() == null) {
                throw new IllegalArgumentException(
                        "kubeconfig " + file + ": no current-context; set one with kubectl config use-context");
            }
            return config;
        } catch (KubernetesClientException e) {
            throw new IllegalArgumentException(
                    "kubeconfig " + file + ": " + Throwables.getRootCause(e).getMessage(), e);
        }
    }

    /** Where the API server of {@code config} is. */
    public static URI base(Config config) {
        return URI.create(config.getMasterUrl());
    }

    /** Opens a client with threads of its own. */
    public static HttpClient open(Config config) {
        Vertx vertx = VertxHttpServer.vertx();
        try {
            return new Owning(open(config, vertx), vertx);
        } catch (RuntimeException e) {
            vertx.close();
            throw e;
        }
    }

    /**
     * Opens a client on threads that others share; {@code shared} outlives it.
     *
     * @throws IllegalArgumentException if the certificates or the key of {@code config} are unusable
     */
    public static HttpClient open(Config config, Vertx shared) {
        config.setRequestRetryBackoffLimit(0);
        var factory = new Factory(shared, config.isTrustCerts() || config.isDisableHostnameVerification());
        HttpClient.Builder builder;
        try {
            builder = factory.newBuilder(config);
        } catch (KubernetesClientException e) {
            throw new IllegalArgumentException(
                    "the certificates or the key for " + config.getMasterUrl() + " cannot be read: "
                            + (e.getCause() == null ? e : e.getCause()).getMessage(),
                    e);
        }
        // fabric8's own reads and parses the whole configuration again, on the calling thread, with nearly every
        // request.
        builder.addOrReplaceInterceptor(TokenRefreshInterceptor.NAME, Credentials.of(config));
        return builder.build();
    }

    private static final class Factory extends Vertx5HttpClientFactory {

        private final boolean anyHost;

        Factory(Vertx vertx, boolean anyHost) {
            super(vertx);
            this.anyHost = anyHost;
        }

        @Override
        protected void additionalConfig(WebClientOptions http, WebSocketClientOptions webSocket, PoolOptions pool) {
            // A call that was given up leaves a connection behind that nothing else would ever close.
            http.setIdleTimeout(IDLE_SECONDS).setIdleTimeoutUnit(TimeUnit.SECONDS);
            webSocket.setIdleTimeout(IDLE_SECONDS).setIdleTimeoutUnit(TimeUnit.SECONDS);
            if (anyHost) {
                http.setVerifyHost(false);
                webSocket.setVerifyHost(false);
            }
        }
    }
}
