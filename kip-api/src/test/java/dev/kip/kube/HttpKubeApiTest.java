package dev.kip.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.loop.system.SystemLoop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.vertx5.Vertx5HttpClientFactory;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpKubeApiTest {

    private final KubernetesMockServer server = new KubernetesMockServer(false);
    private final SystemLoop loop = SystemLoop.start("test");
    private HttpClient client;
    private HttpKubeApi api;

    @BeforeEach
    void start() {
        server.init();
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(server.url("/"))
                .withRequestRetryBackoffLimit(0)
                .build();
        client = new Vertx5HttpClientFactory().newBuilder(config).build();
        api = new HttpKubeApi(client, URI.create(server.url("/")), loop, Runnable::run, Duration.ofSeconds(5));
    }

    @AfterEach
    void stop() {
        client.close();
        server.destroy();
        loop.close();
    }

    @Test
    void a_pod_is_read() {
        server.expect()
                .get()
                .withPath("/api/v1/namespaces/default/pods/web")
                .andReturn(
                        200,
                        new PodBuilder()
                                .withNewMetadata()
                                .withName("web")
                                .endMetadata()
                                .build())
                .once();
        Outcome<Pod, KubeError> outcome = on(() -> api.get(Kinds.PODS, new ObjectRef("default", "web")));
        assertThat(outcome.value().orElseThrow().getMetadata().getName()).isEqualTo("web");
    }

    private <T> T on(Supplier<CompletionStage<T>> call) {
        var result = new CompletableFuture<T>();
        loop.post(() -> call.get().thenAccept(result::complete));
        return result.orTimeout(10, TimeUnit.SECONDS).join();
    }
}
