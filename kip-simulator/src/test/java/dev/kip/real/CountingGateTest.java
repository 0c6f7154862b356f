package dev.kip.real;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import dev.kip.sim.wall.HttpFraming;
import dev.kip.sim.wall.Way;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(20)
final class CountingGateTest {
    private final List<String> served = new CopyOnWriteArrayList<>();
    private final CountDownLatch secondEvent = new CountDownLatch(1);
    private final CallCounter counter = new CallCounter();
    private final HttpClient client = HttpClient.newHttpClient();
    private HttpServer server;
    private Way proxy;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            served.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + new String(body, UTF_8));
            byte[] answer = ("answer to " + new String(body, UTF_8)).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.createContext("/watch", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream events = exchange.getResponseBody()) {
                events.write("first\n".getBytes(UTF_8));
                events.flush();
                secondEvent.await(10, TimeUnit.SECONDS);
                events.write("second\n".getBytes(UTF_8));
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        server.start();
        proxy = proxyOf(server.getAddress().getPort());
    }

    @AfterEach
    void end() throws IOException {
        secondEvent.countDown();
        proxy.close();
        server.stop(0);
    }

    @Test
    void answers_pass_and_only_mutating_requests_count() throws Exception {
        assertThat(send("GET", "/a?b=c", "").body()).isEqualTo("answer to ");
        assertThat(send("POST", "/pods", "pod").body()).isEqualTo("answer to pod");
        assertThat(send("DELETE", "/pods/a", "").statusCode()).isEqualTo(200);

        assertThat(served).containsExactly("GET /a?b=c ", "POST /pods pod", "DELETE /pods/a ");
        assertThat(counter.seen()).extracting(Call::toString).containsExactly("test POST /pods", "test DELETE /pods/a");
    }

    @Test
    void what_is_constant_is_asked_of_the_server_once() throws Exception {
        assertThat(send("GET", "/constant", "").body()).isEqualTo("answer to ");
        assertThat(send("GET", "/constant", "").body()).isEqualTo("answer to ");

        assertThat(served).containsExactly("GET /constant ");
    }

    @Test
    void a_watch_event_passes_when_it_comes_not_when_the_stream_ends() throws Exception {
        HttpResponse<InputStream> watch = client.send(
                HttpRequest.newBuilder(proxy.address().resolve("/watch")).build(),
                HttpResponse.BodyHandlers.ofInputStream());
        BufferedReader events = new BufferedReader(new InputStreamReader(watch.body(), UTF_8));

        assertThat(events.readLine()).isEqualTo("first");
        secondEvent.countDown();
        assertThat(events.readLine()).isEqualTo("second");
        assertThat(events.readLine()).isNull();
    }

    @Test
    void an_upgraded_connection_carries_bytes_both_ways() throws Exception {
        try (ServerSocket echo = new ServerSocket(0);
                Way upgrading = proxyOf(echo.getLocalPort());
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), upgrading.address().getPort())) {
            Executors.newSingleThreadExecutor().submit(() -> {
                try (Socket accepted = echo.accept()) {
                    assertThat(HttpFraming.readRequest(accepted.getInputStream()))
                            .isPresent();
                    accepted.getOutputStream().write("HTTP/1.1 101 Switching\r\n\r\n".getBytes(UTF_8));
                    accepted.getOutputStream().write(accepted.getInputStream().read());
                }
                return null;
            });
            socket.getOutputStream().write("GET /exec HTTP/1.1\r\nUpgrade: websocket\r\n\r\nx".getBytes(UTF_8));

            assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
                    .isEqualTo("HTTP/1.1 101 Switching\r\n\r\nx");
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_kth_request_kills_its_sender_at_the_chosen_moment(Death death) throws Exception {
        List<String> servedAtKill = new CopyOnWriteArrayList<>();
        send("POST", "/before", "0");
        counter.arm(2, death, () -> servedAtKill.addAll(served));
        send("POST", "/first", "1");
        assertThat(counter.hasKilled()).isFalse();

        assertThatThrownBy(() -> send("POST", "/second", "2")).isInstanceOf(IOException.class);

        assertThat(counter.hasKilled()).isTrue();
        assertThat(served.size()).isEqualTo(death == Death.INSTEAD ? 2 : 3);
        assertThat(servedAtKill.size()).isEqualTo(death == Death.AFTER ? 3 : 2);
        assertThat(send("POST", "/third", "3").statusCode()).isEqualTo(200);
    }

    private Way proxyOf(int port) throws IOException {
        return new Way(
                URI.create("http://127.0.0.1:" + port),
                SocketFactory.getDefault(),
                ServerSocketFactory.getDefault(),
                false,
                new CountingGate(
                        counter,
                        request -> request.method().equals("GET")
                                ? Optional.empty()
                                : Optional.of(new Call("test", request.method(), request.target())),
                        request -> request.target().equals("/constant")),
                Optional.empty());
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(proxy.address().resolve(path))
                        .version(HttpClient.Version.HTTP_1_1)
                        .method(
                                method,
                                body.isEmpty()
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
