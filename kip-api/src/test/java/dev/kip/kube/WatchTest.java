package dev.kip.kube;

import static dev.kip.kube.RawServer.CHUNKED;
import static dev.kip.kube.RawServer.chunk;
import static dev.kip.kube.WatchLog.event;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.ManualLoop;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

/** Watches over a chunked stream, from a server that controls every byte. */
@Timeout(60)
class WatchTest {

    private static final WatchQuery QUERY = new WatchQuery("default", "", "", "41", Duration.ofSeconds(40), false);
    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());

    private final ManualLoop loop = new ManualLoop();
    private final HttpClient client = KubeClients.open(Config.empty());
    private final CountDownLatch testIsOver = new CountDownLatch(1);
    private final WatchLog log = new WatchLog();

    @AfterEach
    void stop() {
        testIsOver.countDown();
        client.close();
    }

    @Test
    void events_come_in_order_and_the_end_after_them() throws Exception {
        var heads = new LinkedBlockingQueue<String>();
        try (var server = RawServer.start((head, out) -> {
            heads.add(head);
            send(out, CHUNKED);
            out.write(chunk(event("ADDED", "a") + "\n" + event("MODIFIED", "a") + "\n"));
            out.write(chunk(event("DELETED", "a") + "\n"));
            out.write(chunk("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"50\"}}}\n"));
            send(out, "0\r\n\r\n");
        })) {
            watch(server);

            assertThat(log.lines).containsExactly("opened", "added a", "modified a", "deleted a", "bookmark 50");
            assertThat(log.end).hasValueSatisfying(end -> assertThat(end).isInstanceOf(KubeError.Closed.class));
            assertThat(heads.poll())
                    .startsWith("GET /api/v1/namespaces/default/pods?watch=true&allowWatchBookmarks=true"
                            + "&resourceVersion=41&timeoutSeconds=40 HTTP/1.1");
        }
    }

    @Test
    void an_event_may_be_split_anywhere_even_within_a_letter() throws Exception {
        byte[] line = (event("ADDED", "größe-☃") + "\n").getBytes(UTF_8);
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            for (byte octet : line) {
                out.write(new byte[] {'1', '\r', '\n', octet, '\r', '\n'});
                out.flush();
            }
            send(out, "0\r\n\r\n");
        })) {
            watch(server);

            assertThat(log.lines).containsExactly("opened", "added größe-☃");
        }
    }

    @Test
    void an_error_event_of_410_asks_for_a_new_list() throws Exception {
        try (var server =
                serving("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\","
                        + "\"message\":\"too old resource version: 41 (100)\"}}\n")) {
            watch(server);

            assertThat(log.end)
                    .contains(new KubeError.Expired("watch pods in default: too old resource version: 41 (100)"));
        }
    }

    @Test
    void an_http_status_of_410_asks_for_a_new_list() throws Exception {
        String status = "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}";
        try (var server = RawServer.start((head, out) ->
                send(out, "HTTP/1.1 410 Gone\r\nContent-Length: " + status.length() + "\r\n\r\n" + status))) {
            watch(server);

            assertThat(log.lines).isEmpty();
            assertThat(log.end).contains(new KubeError.Expired("watch pods in default: too old"));
        }
    }

    @Test
    void an_event_that_cannot_be_decoded_is_refused_and_the_watch_goes_on() throws Exception {
        try (var server = serving(
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"bad\"},\"spec\":{\"containers\":7}}}\n"
                        + event("ADDED", "good") + "\n")) {
            api(server).watch(Kinds.PODS.as(checkedTrees()), QUERY, log);
            loop.runUntil(() -> log.end.isPresent());

            assertThat(log.lines).hasSize(3).startsWith("opened").endsWith("added good");
            assertThat(log.lines.get(1)).startsWith("refused bad: ADDED: ").contains("containers");
        }
    }

    @Test
    void broken_json_ends_the_watch_as_garbled() throws Exception {
        try (var server = serving(event("ADDED", "a") + "\n{\"type\":\"ADD\n")) {
            watch(server);

            assertThat(log.lines).containsExactly("opened", "added a");
            assertThat(log.end).hasValueSatisfying(end -> assertThat(end).isInstanceOf(KubeError.Garbled.class));
        }
    }

    @Test
    void a_stream_cut_within_an_event_is_no_clean_end() throws Exception {
        try (var server =
                serving(event("ADDED", "a") + "\n" + event("ADDED", "b").substring(0, 20))) {
            watch(server);

            assertThat(log.lines).containsExactly("opened", "added a");
            assertThat(log.end).hasValueSatisfying(end -> assertThat(end).isInstanceOf(KubeError.NoAnswer.class));
        }
    }

    @Test
    void a_connection_cut_between_chunks_is_no_clean_end() throws Exception {
        var seen = new CountDownLatch(1);
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            out.write(chunk(event("ADDED", "a") + "\n"));
            seen.await();
        })) {
            log.onLine = line -> {
                if (line.equals("added a")) {
                    seen.countDown();
                }
            };
            watch(server);

            assertThat(log.lines).containsExactly("opened", "added a");
            assertThat(log.end).hasValueSatisfying(end -> assertThat(end).isInstanceOf(KubeError.NoAnswer.class));
        }
    }

    @Test
    void broken_chunk_framing_ends_the_watch() throws Exception {
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            out.write(chunk(event("ADDED", "a") + "\n"));
            send(out, "zz\r\nwhat is this\r\n");
            testIsOver.await();
        })) {
            watch(server);

            assertThat(log.lines).startsWith("opened");
            assertThat(log.end)
                    .hasValueSatisfying(
                            end -> assertThat(end).isInstanceOfAny(KubeError.Garbled.class, KubeError.NoAnswer.class));
        }
    }

    /** WATCH-10: told exactly once when the first connection already fails. */
    @Test
    void a_watch_that_never_connects_ends_exactly_once() throws Exception {
        var server = RawServer.start((head, out) -> {});
        server.close();

        watch(server);
        loop.advance(Duration.ofMinutes(5));

        assertThat(log.lines).isEmpty();
        assertThat(log.end).hasValueSatisfying(end -> assertThat(end).isInstanceOf(KubeError.NoAnswer.class));
    }

    @Test
    void a_server_that_accepts_and_never_answers_is_given_up() throws Exception {
        try (var server = RawServer.start((head, out) -> testIsOver.await())) {
            api(server).watch(PODS, QUERY, log);
            loop.advance(Duration.ofSeconds(11));

            assertThat(log.end)
                    .hasValueSatisfying(end -> assertThat(end.message()).contains("did not open within 10000 ms"));
        }
    }

    /** WATCH-04: a load balancer that drops the connection sends nothing, not even an end. */
    @Test
    void a_half_open_connection_is_noticed_within_a_minute() throws Exception {
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            out.write(chunk(event("ADDED", "a") + "\n"));
            testIsOver.await();
        })) {
            api(server).watch(PODS, QUERY, log);
            loop.runUntil(() -> log.lines.contains("added a"));
            loop.advance(Duration.ofSeconds(54));
            assertThat(log.end).isEmpty();
            loop.advance(Duration.ofSeconds(2));

            assertThat(log.end)
                    .hasValueSatisfying(end -> assertThat(end)
                            .isEqualTo(new KubeError.NoAnswer("watch pods in default: silent for 55 s")));
        }
    }

    @Test
    void an_event_without_end_is_given_up() throws Exception {
        byte[] filling = chunk("x".repeat(1 << 20));
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            for (int megabyte = 0; megabyte < 64; megabyte++) {
                out.write(filling);
            }
        })) {
            watch(server);

            assertThat(log.end)
                    .hasValueSatisfying(end -> assertThat(end)
                            .isEqualTo(new KubeError.Garbled(
                                    200, "watch pods in default: an event of more than 16777216 bytes")));
        }
    }

    @Test
    void no_more_is_read_before_the_last_piece_has_been_handled() throws Exception {
        var written = new CountDownLatch(1);
        byte[] piece = chunk((event("ADDED", "a") + "\n").repeat(1000));
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            for (int i = 0; i < 1000; i++) {
                out.write(piece); // 80 MB: blocks once the socket's buffers are full
            }
            written.countDown();
        })) {
            var watch = api(server).watch(PODS, QUERY, log);
            loop.runUntil(() -> log.lines.contains("opened"));

            assertThat(written.await(1, TimeUnit.SECONDS))
                    .as("the server could write everything although nothing was handled")
                    .isFalse();
            watch.close();
        }
    }

    @Test
    void nothing_is_told_after_close() throws Exception {
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            out.write(chunk(event("ADDED", "a") + "\n" + event("ADDED", "b") + "\n"));
            testIsOver.await();
        })) {
            var watch = new AtomicReference<KubeApi.Watch>();
            log.onLine = line -> {
                if (line.equals("added a")) {
                    watch.get().close();
                }
            };
            watch.set(api(server).watch(PODS, QUERY, log));
            loop.runUntil(() -> log.lines.contains("added a"));
            loop.advance(Duration.ofMinutes(5));

            assertThat(log.lines).containsExactly("opened", "added a");
            assertThat(log.end).isEmpty();
        }
    }

    @Test
    void a_listener_that_throws_hears_the_next_event() throws Exception {
        try (var server = serving(event("ADDED", "bad") + "\n" + event("ADDED", "good") + "\n")) {
            log.onLine = line -> {
                if (line.equals("added bad")) {
                    throw new IllegalStateException("a bug of the listener");
                }
            };
            watch(server);

            assertThat(log.lines).containsExactly("opened", "added bad", "added good");
        }
    }

    /** WATCH-05: no cap on concurrent calls that would queue watches in silence. */
    @Test
    void seventy_watches_open_against_one_server() throws Exception {
        try (var server = RawServer.start((head, out) -> {
            send(out, CHUNKED);
            testIsOver.await();
        })) {
            var api = api(server);
            var logs = new ArrayList<WatchLog>();
            for (int i = 0; i < 70; i++) {
                logs.add(new WatchLog());
                api.watch(PODS, QUERY, logs.get(i));
            }

            loop.runUntil(() -> logs.stream().allMatch(each -> each.lines.contains("opened")));
        }
    }

    private HttpKubeApi api(RawServer server) {
        return new HttpKubeApi(client, server.base(), loop, Runnable::run, Duration.ofSeconds(10));
    }

    private void watch(RawServer server) {
        api(server).watch(PODS, QUERY, log);
        loop.runUntil(() -> log.end.isPresent());
    }

    private static RawServer serving(String body) throws Exception {
        return RawServer.start((head, out) -> {
            send(out, CHUNKED);
            out.write(chunk(body));
            send(out, "0\r\n\r\n");
        });
    }

    private static void send(OutputStream out, String text) throws Exception {
        out.write(text.getBytes(UTF_8));
        out.flush();
    }

    /** Trees, but only of what the model class can read. */
    private static Codec<ObjectNode> checkedTrees() {
        return new Codec<>() {
            @Override
            public ObjectNode decode(ObjectNode object) {
                Kinds.PODS.codec().decode(object);
                return object;
            }

            @Override
            public ObjectNode encode(ObjectNode value) {
                return value;
            }
        };
    }
}
