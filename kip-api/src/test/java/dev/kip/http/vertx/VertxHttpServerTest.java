package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpCall.ResponseStream;
import dev.kip.http.HttpCall.WebSocketHandler;
import dev.kip.http.HttpCall.WebSocketPeer;
import dev.kip.http.HttpService;
import dev.kip.loop.system.SystemLoop;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class VertxHttpServerTest {

    private static final ImmutableMap<String, String> TEXT = ImmutableMap.of("content-type", "text/plain");

    private final SystemLoop loop = SystemLoop.start("server");
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private Optional<VertxHttpServer> server = Optional.empty();

    @AfterEach
    void stop() {
        server.ifPresent(VertxHttpServer::close);
        loop.close();
    }

    @Test
    void a_call_carries_method_path_query_headers_and_body_as_sent() throws Exception {
        var seen = new CompletableFuture<HttpCall>();
        serve(call -> {
            seen.complete(call);
            call.respond(201, TEXT, call.body());
        });

        HttpResponse<String> response = client.send(
                request("/a%2Fb/c?labelSelector=a%3Db%2Cc&x=1&x=2&flag")
                        .header("X-Thing", "One")
                        .method("PATCH", BodyPublishers.ofString("body"))
                        .build(),
                BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(response.body()).isEqualTo("body");
        HttpCall call = seen.join();
        assertThat(call.method()).isEqualTo("PATCH");
        assertThat(call.rawPath()).isEqualTo("/a%2Fb/c");
        assertThat(call.query().entries())
                .extracting(Object::toString)
                .containsExactly("labelSelector=a=b,c", "x=1", "x=2", "flag=");
        assertThat(call.header("x-thing")).contains("One");
        assertThat(call.peer()).isEmpty();
    }

    @Test
    void a_stream_sends_its_head_at_once_and_each_piece_as_it_is_written() throws Exception {
        var stream = new CompletableFuture<ResponseStream>();
        serve(call -> stream.complete(call.stream(200, TEXT)));

        HttpResponse<InputStream> response = client.send(request("/").build(), BodyHandlers.ofInputStream());

        assertThat(response.statusCode()).isEqualTo(200);
        loop.post(() -> stream.join().write("one\n".getBytes(UTF_8)));
        assertThat(response.body().readNBytes(4)).asString(UTF_8).isEqualTo("one\n");
        loop.post(() -> {
            stream.join().write("two\n".getBytes(UTF_8));
            stream.join().end();
        });
        assertThat(response.body().readAllBytes()).asString(UTF_8).isEqualTo("two\n");
    }

    @Test
    void an_aborted_stream_is_no_whole_answer() throws Exception {
        serve(call -> {
            ResponseStream stream = call.stream(200, TEXT);
            stream.write("half".getBytes(UTF_8));
            stream.abort();
        });

        HttpResponse<InputStream> response = client.send(request("/").build(), BodyHandlers.ofInputStream());

        assertThatThrownBy(() -> response.body().readAllBytes()).isInstanceOf(IOException.class);
    }

    @Test
    void a_stream_is_told_once_when_its_client_leaves() throws Exception {
        var left = new LinkedBlockingQueue<String>();
        serve(call -> call.stream(200, TEXT).onClose(() -> left.add("left")));

        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(UTF_8));
            assertThat(socket.getInputStream().readNBytes(12)).asString(UTF_8).isEqualTo("HTTP/1.1 200");
        }

        assertThat(left.poll(10, TimeUnit.SECONDS)).isEqualTo("left");
        assertThat(left).isEmpty();
    }

    @Test
    void one_connection_serves_many_calls() throws Exception {
        serve(call -> call.respond(200, TEXT, call.rawPath().getBytes(UTF_8)));

        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            for (String path : new String[] {"/first", "/second"}) {
                socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(UTF_8));
                String answer = readUntil(socket.getInputStream(), path);
                assertThat(answer).startsWith("HTTP/1.1 200").contains("content-length: " + path.length());
            }
        }
    }

    @Test
    void a_body_over_the_limit_is_refused() throws Exception {
        serve(ServerBinding.plain("127.0.0.1", 0).maxBodyBytes(100), call -> call.respond(200, TEXT, new byte[0]));

        HttpResponse<String> response = client.send(
                request("/").POST(BodyPublishers.ofByteArray(new byte[101])).build(), BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(413);
    }

    @Test
    void a_head_has_the_length_of_its_body_but_no_body() throws Exception {
        serve(call -> call.respond(200, TEXT, "four".getBytes(UTF_8)));

        HttpResponse<String> response =
                client.send(request("/").method("HEAD", BodyPublishers.noBody()).build(), BodyHandlers.ofString());

        assertThat(response.headers().firstValue("content-length")).contains("4");
        assertThat(response.body()).isEmpty();
    }

    @Test
    void a_service_that_fails_answers_500() throws Exception {
        serve(call -> {
            throw new IllegalStateException("a bug");
        });

        assertThat(client.send(request("/").build(), BodyHandlers.ofString()).statusCode())
                .isEqualTo(500);
    }

    @Test
    void a_web_socket_speaks_the_subprotocol_that_the_service_chose() throws Exception {
        var log = new LinkedBlockingQueue<String>();
        serve(call -> {
            var peer = new CompletableFuture<WebSocketPeer>();
            peer.complete(call.upgradeToWebSocket(Optional.of("v5.channel.k8s.io"), new WebSocketHandler() {
                @Override
                public void text(String text) {
                    peer.join().sendText("echo " + text);
                }

                @Override
                public void binary(byte[] data) {
                    peer.join().sendBinary(data);
                }

                @Override
                public void closed() {
                    log.add("closed");
                }
            }));
            peer.join().sendText("welcome");
        });

        var received = new LinkedBlockingQueue<String>();
        WebSocket socket = client.newWebSocketBuilder()
                .subprotocols("v9.channel.k8s.io", "v5.channel.k8s.io")
                .buildAsync(URI.create("ws://127.0.0.1:" + port() + "/exec"), new Collecting(received))
                .get(10, TimeUnit.SECONDS);

        assertThat(socket.getSubprotocol()).isEqualTo("v5.channel.k8s.io");
        assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("welcome");
        socket.sendText("hello", true);
        assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("echo hello");
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "");
        assertThat(log.poll(10, TimeUnit.SECONDS)).isEqualTo("closed");
    }

    @Test
    void an_upgrade_may_be_refused_with_an_ordinary_answer() throws Exception {
        serve(call -> call.respond(403, TEXT, "no".getBytes(UTF_8)));

        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            String upgrade = """
                    GET / HTTP/1.1
                    Host: x
                    Upgrade: websocket
                    Connection: Upgrade
                    Sec-WebSocket-Version: 13
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

                    """;
            socket.getOutputStream().write(upgrade.replace("\n", "\r\n").getBytes(UTF_8));
            assertThat(socket.getInputStream().readNBytes(12)).asString(UTF_8).isEqualTo("HTTP/1.1 403");
        }
    }

    @Test
    void a_port_in_use_is_named() throws Exception {
        serve(call -> call.respond(200, TEXT, new byte[0]));

        assertThatThrownBy(() -> VertxHttpServer.start(ServerBinding.plain("127.0.0.1", port()), loop, call -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot listen on 127.0.0.1:" + port() + ": ")
                .hasMessageContaining("in use");
    }

    private void serve(HttpService service) throws IOException {
        serve(ServerBinding.plain("127.0.0.1", 0), service);
    }

    private void serve(ServerBinding binding, HttpService service) throws IOException {
        server = Optional.of(VertxHttpServer.start(binding, loop, service));
    }

    private int port() {
        return server.orElseThrow().port();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(10));
    }

    private static String readUntil(InputStream in, String end) throws IOException {
        var text = new StringBuilder();
        while (!text.toString().endsWith(end)) {
            int octet = in.read();
            if (octet < 0) {
                throw new IOException("ended after " + text);
            }
            text.append((char) octet);
        }
        return text.toString();
    }

    private record Collecting(BlockingQueue<String> received) implements WebSocket.Listener {
        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            received.add(data.toString());
            socket.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }
}
