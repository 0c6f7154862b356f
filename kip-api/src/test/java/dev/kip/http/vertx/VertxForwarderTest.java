package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.ByteStreams;
import dev.kip.cell.wire.CellTrust;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.Forwarder.Forwarded;
import dev.kip.http.Forwarder.Onward;
import dev.kip.loop.system.SystemLoop;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.spdy.DefaultSpdySynReplyFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls handed on between real sockets on loopback. */
@Timeout(60)
class VertxForwarderTest {

    private static final int PIECES = 1024;

    private final Vertx vertx = VertxHttpServer.vertx();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SystemLoop loop = SystemLoop.start("forwarding");
    private final SelfSigned far = SelfSigned.create(new SecureEntropy(), loop.now(), "far");
    private final CellTrust trust = new CellTrust();
    private final Count open = new Count();
    private final CompletableFuture<Boolean> asked = new CompletableFuture<>();
    private Consumer<NetSocket> play = socket -> socket.handler(socket::write);
    private volatile Forwarded last = () -> {};
    private HttpServer upstream;
    private volatile VertxForwarder forwarder;
    private VertxHttpServer server;
    private int targetPort;

    @BeforeEach
    void serve() throws Exception {
        upstream = vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .addCertValue(Buffer.buffer(far.certificatePem()))
                                .addKeyValue(Buffer.buffer(far.keyPem()))))
                .requestHandler(this::upstream);
        targetPort = upstream.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .actualPort();
        trust.expect("127.0.0.1", targetPort, far.fingerprint());
        forwarder = forwarder(Duration.ofMinutes(2));
        server = VertxHttpServer.start(vertx, ServerBinding.plain("127.0.0.1", 0), loop, call -> {
            open.add(1);
            last = forwarder.forward(
                    call,
                    Onward.to("127.0.0.1", targetPort, call.rawPath() + "?a=b%20c", "the far server")
                            .problems((status, text) -> text.replace("inner", "outer")),
                    () -> open.add(-1));
        });
    }

    private VertxForwarder forwarder(Duration idle) {
        InstallationKeys keys = InstallationKeys.create(new SecureEntropy(), loop.now());
        return new VertxForwarder(
                vertx,
                loop,
                CellTrust.key(keys),
                trust.pinned(),
                new VertxForwarder.Settings(idle, Duration.ofSeconds(30)));
    }

    @AfterEach
    void stop() {
        server.close();
        forwarder.close();
        upstream.close();
        vertx.close();
        loop.close();
        threads.shutdownNow();
    }

    private void upstream(HttpServerRequest request) {
        switch (request.path()) {
            case "/up" -> {
                request.response().putHeader("connection", "Upgrade").putHeader("upgrade", "SPDY/3.1");
                request.response().putHeader("x-stream-protocol-version", "v4.channel.k8s.io");
                request.toNetSocket().onSuccess(socket -> play.accept(socket));
            }
            case "/refused" -> request.response().setStatusCode(404).end("inner has no such thing");
            case "/cut" -> {
                request.response().setChunked(true).write("half");
                vertx.setTimer(100, late -> request.connection().close());
            }
            case "/follow" -> request.response().setChunked(true).write("half");
            case "/silent" -> asked.complete(true);
            case "/never" -> request.response().setChunked(true); // and no more
            default -> request.response().end(request.uri() + " " + request.getHeader("authorization"));
        }
    }

    @Test
    void a_plain_call_passes_with_its_query_and_without_the_clients_secret() throws Exception {
        assertThat(plain("/logs")).contains("200 OK").endsWith("/logs?a=b%20c null");
        nothingIsLeft();
    }

    @Test
    void a_refusal_passes_in_other_words() throws Exception {
        assertThat(plain("/refused")).contains("404").endsWith("outer has no such thing");
        nothingIsLeft();
    }

    @Test
    void an_answer_that_breaks_off_does_not_look_whole() throws Exception {
        assertThat(plain("/cut")).contains("half").doesNotContain("\r\n0\r\n");
        nothingIsLeft();
    }

    @Test
    void a_server_that_is_not_there_is_named() throws Exception {
        upstream.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);

        assertThat(plain("/logs")).contains("502").contains("the far server does not answer");
        nothingIsLeft();
    }

    @Test
    void a_server_with_another_certificate_is_sent_nothing() throws Exception {
        trust.expect("127.0.0.1", targetPort, "00");

        assertThat(plain("/logs")).contains("502").contains("SSL");
        nothingIsLeft();
    }

    @Test
    void an_upgraded_stream_passes_unchanged_both_ways() throws Exception {
        echo(8 << 20);
        nothingIsLeft();
    }

    @Test
    void a_reader_that_stops_stops_the_writer() throws Exception {
        AtomicInteger written = new AtomicInteger();
        byte[] piece = new byte[64 << 10];
        play = socket -> writeOn(socket, piece, written);
        try (Socket client = upgrade("GET")) {
            int before;
            do {
                before = written.get();
                echo(2 << 20); // time enough for a writer that is not stopped
            } while (written.get() != before);
            assertThat(before * (long) piece.length).isLessThan(32L << 20);
            int all = PIECES * piece.length;
            assertThat(read(client, all)).hasSize(all);
        }
        nothingIsLeft();
    }

    @Test
    void what_was_under_way_arrives_before_the_end() throws Exception {
        byte[] rest = new byte[4 << 20];
        play = socket -> {
            socket.write(Buffer.buffer(rest));
            socket.end();
        };
        try (Socket client = upgrade("GET")) {
            int got = 0;
            byte[] little = new byte[2 << 10]; // a slow reader
            for (int length = client.getInputStream().read(little);
                    length >= 0;
                    length = client.getInputStream().read(little)) {
                got += length;
            }
            assertThat(got).isEqualTo(rest.length);
        }
        nothingIsLeft();
    }

    @Test
    void a_stream_without_a_byte_is_cut_after_its_time() throws Exception {
        forwarder.close();
        forwarder = forwarder(Duration.ofSeconds(2));
        try (Socket client = upgrade("GET")) {
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
        nothingIsLeft();
    }

    @Test
    void an_aborted_stream_ends_on_both_sides() throws Exception {
        CompletableFuture<Boolean> farEnd = new CompletableFuture<>();
        play = socket -> socket.closeHandler(closed -> farEnd.complete(true));
        try (Socket client = upgrade("GET")) {
            loop.post(() -> last.abort());
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThat(farEnd.get(10, TimeUnit.SECONDS)).isTrue();
        }
        nothingIsLeft();
    }

    @Test
    void a_server_that_is_lost_while_it_answers_ends_the_answer_with_a_line_that_says_so() throws Exception {
        assertThat(plain("/cut")).contains("the connection to the far server was lost");
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            ask(client, "GET", "/follow", "");
            assertThat(until(client, "half")).contains("200 OK");
            loop.post(() -> last.abort());
            assertThat(until(client, "lost")).contains("the connection to the far server was lost");
        }
        nothingIsLeft();
    }

    @Test
    void a_server_that_is_lost_before_it_answers_is_an_error() throws Exception {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            ask(client, "GET", "/silent", "");
            asked.get(10, TimeUnit.SECONDS);
            loop.post(() -> last.abort());
            assertThat(until(client, "lost")).contains("502", "the connection to the far server was lost");
        }
        nothingIsLeft();
    }

    @Test
    void a_server_that_is_lost_in_an_exec_says_so_on_the_error_stream() throws Exception {
        EmbeddedChannel codec = new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
        DefaultSpdySynStreamFrame error = new DefaultSpdySynStreamFrame(1, 0, (byte) 0);
        error.headers().set("streamtype", "error");
        codec.writeOutbound(error);
        byte[] opened = ByteBufUtil.getBytes((ByteBuf) codec.readOutbound());
        codec.writeOutbound(new DefaultSpdySynReplyFrame(1));
        byte[] reply = ByteBufUtil.getBytes((ByteBuf) codec.readOutbound());
        play = socket -> socket.handler(piece -> socket.write(Buffer.buffer(reply)));
        for (boolean broken : new boolean[] {false, true}) {
            try (Socket client = upgrade("POST")) {
                client.getOutputStream().write(opened);
                read(client, reply.length);
                loop.post(() -> {
                    if (broken) {
                        upstream.close();
                    } else {
                        last.abort();
                    }
                });
                assertThat(until(client, "\"code\":500"))
                        .contains("\"status\":\"Failure\",\"message\":\"the connection to the far server was lost\"");
            }
        }
        codec.finishAndReleaseAll();
        nothingIsLeft();
    }

    /** What comes up to this word. */
    private static String until(Socket client, String word) throws IOException {
        StringBuilder got = new StringBuilder();
        while (got.indexOf(word) < 0) {
            int next = client.getInputStream().read();
            assertThat(next).as("after \"" + got + "\"").isNotNegative();
            got.append((char) next);
        }
        return got.toString();
    }

    @Test
    void a_client_that_leaves_while_it_waits_leaves_nothing() throws Exception {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            ask(client, "GET", "/never", "");
            open.await(1);
        }
        nothingIsLeft();
    }

    @Test
    void two_hundred_streams_live_side_by_side_with_cuts_among_them() throws Exception {
        List<Socket> clients = new ArrayList<>();
        for (int at = 0; at < 200; at++) {
            clients.add(upgrade("POST"));
        }
        for (int at = 0; at < clients.size(); at++) {
            clients.get(at).getOutputStream().write(("stream " + (1000 + at)).getBytes(UTF_8));
        }
        for (int at = 0; at < clients.size(); at++) {
            if (at % 3 == 0) {
                clients.get(at).setSoLinger(true, 0); // a reset, not an end
            } else {
                assertThat(new String(read(clients.get(at), 11), UTF_8)).isEqualTo("stream " + (1000 + at));
            }
            clients.get(at).close();
        }
        nothingIsLeft();
    }

    private void echo(int length) throws Exception {
        byte[] sent = new byte[length];
        new Random(7).nextBytes(sent);
        play = socket -> socket.handler(socket::write);
        try (Socket client = upgrade("POST")) {
            CompletableFuture<byte[]> got = CompletableFuture.supplyAsync(() -> read(client, sent.length), threads);
            client.getOutputStream().write(sent);
            assertThat(got.get(30, TimeUnit.SECONDS)).isEqualTo(sent);
        }
    }

    /** The next when the last has left. */
    private static void writeOn(NetSocket socket, byte[] piece, AtomicInteger written) {
        if (written.getAndIncrement() < PIECES) {
            socket.write(Buffer.buffer(piece)).onSuccess(sent -> writeOn(socket, piece, written));
        }
    }

    private void nothingIsLeft() throws InterruptedException {
        open.await(0);
    }

    /** Calls that are handed on. Any thread. */
    private static final class Count {
        private int now;

        synchronized void add(int more) {
            now += more;
            notifyAll();
        }

        /** Until the test's time is over. */
        synchronized void await(int wanted) throws InterruptedException {
            while (now != wanted) {
                wait();
            }
        }
    }

    private String plain(String path) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            ask(client, "GET", path, "Authorization: Bearer secret\r\nConnection: close\r\n");
            return new String(ByteStreams.toByteArray(client.getInputStream()), UTF_8);
        }
    }

    private Socket upgrade(String method) throws IOException {
        Socket client = new Socket();
        client.setReceiveBufferSize(256 << 10); // what it does not read stands still elsewhere
        client.setSoTimeout(50_000);
        client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        ask(
                client,
                method,
                "/up",
                "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n");
        InputStream in = client.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(UTF_8).endsWith("\r\n\r\n")) {
            int next = in.read();
            assertThat(next).as(head.toString(UTF_8)).isNotNegative();
            head.write(next);
        }
        assertThat(head.toString(UTF_8).toLowerCase(java.util.Locale.ROOT))
                .startsWith("http/1.1 101")
                .contains("upgrade: spdy/3.1")
                .contains("x-stream-protocol-version: v4.channel.k8s.io");
        return client;
    }

    private static void ask(Socket client, String method, String path, String headers) throws IOException {
        OutputStream out = client.getOutputStream();
        out.write((method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n").getBytes(UTF_8));
        out.flush();
    }

    private static byte[] read(Socket socket, int length) {
        try {
            return socket.getInputStream().readNBytes(length);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
