package dev.kip.http.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import com.google.common.io.ByteStreams;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two connections made one, between real sockets on loopback: what is sent, what ends, and when. */
@Timeout(240)
class SpliceTest {

    /** {@code -Dkip.splice.megabytes=1024} for the whole gigabyte. */
    private static final int MEGABYTES = Integer.getInteger("kip.splice.megabytes", 16);

    private static final int PATIENCE_SECONDS = 30;

    private final Vertx vertx = VertxHttpServer.vertx();
    private final ExecutorService threads = Executors.newCachedThreadPool(); // the common pool has one, on two cores
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private final AtomicReference<Duration> idle = new AtomicReference<>(Duration.ofMinutes(2));
    private final CompletableFuture<Splice> splice = new CompletableFuture<>();
    private ServerSocket farServer;
    private NetServer server;
    private Socket near;
    private Socket far;

    @BeforeEach
    void serve() throws Exception {
        farServer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        NetClient client = vertx.createNetClient();
        server = vertx.createNetServer().connectHandler(accepted -> {
            SpliceSide left = SpliceSide.upgraded(((NetSocketInternal) accepted).channelHandlerContext());
            client.connect(farServer.getLocalPort(), "127.0.0.1").onSuccess(dialled -> {
                SpliceSide right = SpliceSide.upgraded(((NetSocketInternal) dialled).channelHandlerContext());
                splice.complete(Splice.join(
                        Timers.of(vertx), left, right, Epilogue.NONE, idle.get(), () -> ended.complete(true)));
            });
        });
        int port = server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .actualPort();
        near = new Socket();
        near.setReceiveBufferSize(256 << 10); // what it does not read stands still elsewhere
        near.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        near.setSoTimeout(PATIENCE_SECONDS * 1000);
        far = farServer.accept();
        far.setSoTimeout(PATIENCE_SECONDS * 1000);
    }

    @AfterEach
    void stop() throws Exception {
        near.close();
        far.close();
        farServer.close();
        server.close();
        vertx.close();
        threads.shutdownNow();
    }

    @Test
    void what_a_side_sent_before_it_left_reaches_a_slow_reader() throws Exception {
        byte[] all = bytes(4 << 20);
        CompletableFuture<Void> sent = CompletableFuture.runAsync(
                () -> {
                    write(far, all);
                    close(far);
                },
                threads);
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        byte[] little = new byte[2 << 10];
        for (int length = near.getInputStream().read(little);
                length >= 0;
                length = near.getInputStream().read(little)) {
            got.write(little, 0, length);
        }
        sent.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(Arrays.equals(got.toByteArray(), all)).isTrue();
        near.close();
        assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_side_that_has_said_its_last_still_hears_the_answer() throws Exception {
        near.getOutputStream().write("question".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        near.shutdownOutput();
        assertThat(ByteStreams.toByteArray(far.getInputStream())).asString().isEqualTo("question");

        byte[] answer = bytes(4 << 20);
        far.getOutputStream().write(answer);
        far.close();

        assertThat(ByteStreams.toByteArray(near.getInputStream())).isEqualTo(answer);
        assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_side_that_leaves_while_it_is_sent_much_ends_the_sender() throws Exception {
        CompletableFuture<Boolean> refused = writesUntilRefused();
        assertThat(near.getInputStream().readNBytes(1 << 20)).hasSize(1 << 20);
        near.close();

        assertThat(refused.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_cut_ends_both_sides_though_one_of_them_reads_nothing() throws Exception {
        CompletableFuture<Boolean> refused = writesUntilRefused();
        splice.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cut();

        assertThat(refused.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void what_passes_both_ways_at_once_is_what_was_sent() throws Exception {
        long size = (long) MEGABYTES << 20;
        CompletableFuture<String> up = CompletableFuture.supplyAsync(() -> sum(far, size), threads);
        CompletableFuture<String> down = CompletableFuture.supplyAsync(() -> sum(near, size), threads);
        CompletableFuture<String> sentUp = CompletableFuture.supplyAsync(() -> send(near, size, 1), threads);
        CompletableFuture<String> sentDown = CompletableFuture.supplyAsync(() -> send(far, size, 2), threads);

        assertThat(up.get(200, TimeUnit.SECONDS)).isEqualTo(sentUp.get());
        assertThat(down.get(200, TimeUnit.SECONDS)).isEqualTo(sentDown.get());
        assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private CompletableFuture<Boolean> writesUntilRefused() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        while (true) {
                            far.getOutputStream().write(new byte[64 << 10]);
                        }
                    } catch (IOException e) {
                        return true;
                    }
                },
                threads);
    }

    /** Sends so much, then ends. @return its sum */
    private static String send(Socket socket, long size, int seed) {
        byte[] piece = bytes(1 << 20);
        Random random = new Random(seed);
        Hasher hasher = Hashing.crc32c().newHasher();
        try {
            OutputStream out = socket.getOutputStream();
            for (long left = size; left > 0; ) {
                int length = (int) Math.min(left, 1 + random.nextInt(piece.length));
                hasher.putBytes(piece, 0, length);
                out.write(piece, 0, length);
                left -= length;
            }
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return hasher.hash().toString();
    }

    /** Reads to the end, which must come after so much. @return its sum */
    private static String sum(Socket socket, long size) {
        byte[] piece = new byte[256 << 10];
        Hasher hasher = Hashing.crc32c().newHasher();
        long got = 0;
        try {
            InputStream in = socket.getInputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                hasher.putBytes(piece, 0, length);
                got += length;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(got).isEqualTo(size);
        return hasher.hash().toString();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
