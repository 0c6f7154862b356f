package dev.kip.controller.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.controller.kubelet.KubeletSettings;
import dev.kip.controller.kubelet.KubeletSettings.Serving;
import dev.kip.controller.kubelet.ServingCertificates.Issued;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class KubeletServerTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    @TempDir
    private Path files;

    private final Vertx vertx = VertxHttpServer.vertx();
    private final SystemLoop loop = SystemLoop.start("kubelet server");

    @AfterEach
    void stop() {
        vertx.close();
        loop.close();
    }

    private static String nameFor(String node) {
        return KubeletServer.selfSigned(new SecureEntropy(), NOW, node)
                .certificate()
                .getSubjectX500Principal()
                .getName();
    }

    private static SelfSigned named(String name) {
        return SelfSigned.create(new SecureEntropy(), NOW, name);
    }

    private KubeletServer start(KubeletSettings settings) throws IOException {
        return KubeletServer.start(
                vertx,
                loop,
                new SecureEntropy(),
                "127.0.0.1",
                settings,
                "kip",
                call -> call.respond(
                        200, ImmutableMap.of(), call.peer().orElse("nobody").getBytes(UTF_8)));
    }

    private static KubeletSettings settings(Optional<String> clients, Optional<Serving> serving) {
        return new KubeletSettings(
                0, clients, serving, false, KubeletSettings.DEFAULTS.idle(), KubeletSettings.DEFAULTS.maxStreams());
    }

    private String write(String name, byte[] content) throws IOException {
        return Files.write(files.resolve(name), content).toString();
    }

    /** A connection that takes whatever it is shown. */
    private static SSLSocket connect(KubeletServer server) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", server.port());
        socket.setSoTimeout(20_000);
        socket.startHandshake();
        return socket;
    }

    private static String shown(SSLSocket socket) throws Exception {
        return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    private static String ask(SSLSocket socket) throws IOException {
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
        byte[] answer = new byte[1000];
        int length = socket.getInputStream().read(answer);
        return new String(answer, 0, Math.max(length, 0), US_ASCII);
    }

    private void onLoop(Runnable task) throws Exception {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        loop.post(() -> {
            task.run();
            done.complete(true);
        });
        done.get(20, TimeUnit.SECONDS);
    }

    @Test
    void without_a_certificate_it_signs_one_for_whatever_the_node_is_called() {
        assertThat(nameFor("virtual-kubelet")).isEqualTo("CN=system:node:virtual-kubelet");
        assertThat(nameFor("a.b-" + "c".repeat(240))).startsWith("CN=system:node:a.b-ccc");
    }

    @Test
    void KAPI_11_another_certificate_is_shown_without_a_restart_and_what_is_open_stays_open() throws Exception {
        try (KubeletServer server = start(settings(Optional.empty(), Optional.empty()));
                SSLSocket before = connect(server)) {
            assertThat(shown(before)).isEqualTo("CN=system:node:kip");
            SelfSigned given = named("given-by-the-cluster");
            onLoop(() -> server.show(new Issued(given.certificatePem(), given.keyPem())));

            try (SSLSocket after = connect(server)) {
                assertThat(shown(after)).isEqualTo("CN=given-by-the-cluster");
            }
            assertThat(ask(before)).contains("200 OK").endsWith("nobody");
        }
    }

    @Test
    void files_that_have_changed_are_taken_up_and_broken_ones_are_not() throws Exception {
        SelfSigned first = named("first");
        Serving serving = new Serving(write("tls.crt", first.certificatePem()), write("tls.key", first.keyPem()));
        try (KubeletServer server = start(settings(Optional.empty(), Optional.of(serving)))) {
            write("tls.crt", "no certificate".getBytes(US_ASCII));
            onLoop(server::takeUp);
            try (SSLSocket socket = connect(server)) {
                assertThat(shown(socket)).isEqualTo("CN=first");
            }
            SelfSigned second = named("second");
            write("tls.crt", second.certificatePem());
            write("tls.key", second.keyPem());
            onLoop(server::takeUp);
            try (SSLSocket socket = connect(server)) {
                assertThat(shown(socket)).isEqualTo("CN=second");
            }
        }
    }

    @Test
    void a_file_that_is_not_there_is_named() {
        assertThatThrownBy(() -> start(settings(Optional.of("/no/such/ca.pem"), Optional.empty())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("kubelet.clientCAFile: /no/such/ca.pem cannot be read");
    }
}
