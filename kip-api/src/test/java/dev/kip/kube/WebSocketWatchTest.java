package dev.kip.kube;

import static dev.kip.kube.WatchLog.event;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.ManualLoop;
import dev.kip.loop.system.SystemLoop;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

/** Watches over a WebSocket: one event a message. */
@Timeout(60)
class WebSocketWatchTest {

    private static final WatchQuery QUERY = new WatchQuery("default", "", "", "41", Duration.ofSeconds(40), true);
    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());

    private final ManualLoop loop = new ManualLoop();
    private final SystemLoop serverLoop = SystemLoop.start("server");
    private final HttpClient client = KubeClients.open(
            new ConfigBuilder(Config.empty()).withOauthToken("secret").build());
    private final WatchLog log = new WatchLog();

    @AfterEach
    void stop() {
        client.close();
        serverLoop.close();
    }

    @Test
    void events_come_in_order_and_the_end_after_them() throws Exception {
        var asked = new LinkedBlockingQueue<String>();
        try (var server = serve(call -> {
            asked.add(call.rawPath() + " " + call.query() + " "
                    + call.header("authorization").orElse(""));
            HttpCall.WebSocketPeer peer = call.upgradeToWebSocket(Optional.empty(), new Deaf());
            for (int i = 0; i < 1000; i++) {
                peer.sendText(event("ADDED", "p" + i));
            }
            peer.sendBinary(event("DELETED", "p7").getBytes(UTF_8));
            peer.close(1000, "");
        })) {
            watch(server);

            assertThat(log.lines).hasSize(1002).startsWith("opened", "added p0").endsWith("added p999", "deleted p7");
            assertThat(log.end).hasValueSatisfying(end -> assertThat(end).isInstanceOf(KubeError.Closed.class));
            assertThat(asked.poll())
                    .contains(
                            "/api/v1/namespaces/default/pods", "watch=[true]", "resourceVersion=[41]", "Bearer secret");
        }
    }

    @Test
    void the_order_holds_though_bodies_are_decoded_by_several_threads() throws Exception {
        ExecutorService decoders = Executors.newFixedThreadPool(4);
        try (var server = serve(call -> {
            HttpCall.WebSocketPeer peer = call.upgradeToWebSocket(Optional.empty(), new Deaf());
            for (int i = 0; i < 2000; i++) {
                peer.sendText(event("ADDED", "p" + i + (i % 2 == 0 ? "x".repeat(2000) : "")));
            }
            peer.close(1000, "");
        })) {
            new HttpKubeApi(
                            client,
                            URI.create("http://127.0.0.1:" + server.port()),
                            loop,
                            decoders,
                            Duration.ofSeconds(10))
                    .watch(PODS, QUERY, log);
            loop.runUntil(() -> log.end.isPresent());

            assertThat(log.lines.stream().skip(1).map(line -> line.replace("x", "")))
                    .containsExactlyElementsOf(IntStream.range(0, 2000)
                            .mapToObj(i -> "added p" + i)
                            .toList());
        } finally {
            decoders.shutdownNow();
        }
    }

    @Test
    void the_mock_server_of_fabric8_is_watched() {
        var mock = new KubernetesMockServer(false);
        mock.init();
        mock.expect()
                .withPath(
                        "/api/v1/namespaces/default/pods?watch=true&allowWatchBookmarks=true&resourceVersion=41&timeoutSeconds=40")
                .andUpgradeToWebSocket()
                .open()
                .waitFor(10)
                .andEmit("{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}")
                .done()
                .once();
        new HttpKubeApi(client, URI.create(mock.url("/")), loop, Runnable::run, Duration.ofSeconds(10))
                .watch(PODS, QUERY, log);

        loop.runUntil(() -> log.lines.contains("modified a"));

        mock.destroy();
        loop.runUntil(() -> log.end.isPresent());
    }

    @Test
    void a_refused_upgrade_says_why() throws Exception {
        try (var server = serve(call -> call.respond(410, ImmutableMap.of(), new byte[0]))) {
            watch(server);

            assertThat(log.lines).isEmpty();
            assertThat(log.end).contains(new KubeError.Expired("watch pods in default: HTTP 410"));
        }
    }

    @Test
    void an_error_event_of_410_asks_for_a_new_list() throws Exception {
        try (var server = serve(
                call -> call.upgradeToWebSocket(Optional.empty(), new Deaf())
                        .sendText(
                                "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"message\":\"too old\"}}"))) {
            watch(server);

            assertThat(log.end).contains(new KubeError.Expired("watch pods in default: too old"));
        }
    }

    @Test
    void a_cut_connection_is_no_clean_end() throws Exception {
        var server = serve(
                call -> call.upgradeToWebSocket(Optional.empty(), new Deaf()).sendText(event("ADDED", "a")));
        api(server).watch(PODS, QUERY, log);
        loop.runUntil(() -> log.lines.contains("added a"));
        server.close();
        loop.runUntil(() -> log.end.isPresent());

        assertThat(log.end).hasValueSatisfying(end -> assertThat(end).isNotInstanceOf(KubeError.Expired.class));
    }

    @Test
    void the_server_is_told_when_the_watch_is_closed() throws Exception {
        var closed = new CountDownLatch(1);
        try (var server = serve(call -> call.upgradeToWebSocket(Optional.empty(), new Deaf() {
            @Override
            public void closed() {
                closed.countDown();
            }
        }))) {
            KubeApi.Watch watch = api(server).watch(PODS, QUERY, log);
            loop.runUntil(() -> log.lines.contains("opened"));
            watch.close();

            assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private VertxHttpServer serve(HttpService service) throws Exception {
        return VertxHttpServer.start(ServerBinding.plain("127.0.0.1", 0), serverLoop, service);
    }

    private HttpKubeApi api(VertxHttpServer server) {
        return new HttpKubeApi(
                client, URI.create("http://127.0.0.1:" + server.port()), loop, Runnable::run, Duration.ofSeconds(10));
    }

    private void watch(VertxHttpServer server) {
        api(server).watch(PODS, QUERY, log);
        loop.runUntil(() -> log.end.isPresent());
    }

    /** Hears nothing. */
    private static class Deaf implements HttpCall.WebSocketHandler {
        @Override
        public void text(String text) {}

        @Override
        public void binary(byte[] data) {}

        @Override
        public void closed() {}
    }
}
