package dev.kip.cell.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.PodBundle;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real sockets, real handshakes. */
class CellTlsTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Grant GRANT = new Grant(3, "u-1", 0, new PodBundle(1, "{}", ImmutableList.of()));

    private final SecureEntropy entropy = new SecureEntropy();
    private final InstallationKeys keys = InstallationKeys.create(entropy, NOW);
    private final SystemLoop loop = SystemLoop.start("test");
    private final List<VertxHttpServer> servers = new CopyOnWriteArrayList<>();
    private final List<CellClients> opened = new CopyOnWriteArrayList<>();
    private final List<String> handedOver = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(VertxHttpServer::close);
        opened.forEach(clients -> {
            clients.asking().close();
            clients.pinned().close();
        });
        loop.close();
    }

    @Test
    void the_right_cell_is_proved_and_takes_orders() throws Exception {
        CellAddress cell = cell("i-1");
        HttpCellApi api = controller(keys);

        assertThat(call(() -> api.watch(cell, 0, WAIT)).value()).isPresent();
        assertThat(call(() -> api.grant(cell, GRANT)).value()).isPresent();
        assertThat(call(() -> api.end(cell, new EndOrder(3, "u-1", Duration.ZERO)))
                        .value())
                .isPresent();

        assertThat(handedOver)
                .containsExactly(
                        "GET /v1/state kip-controller",
                        "PUT /v1/pod kip-controller",
                        "POST /v1/pod/end kip-controller");
    }

    @Test
    void a_client_with_another_certificate_is_refused_in_the_handshake() throws Exception {
        CellAddress cell = cell("i-1");
        InstallationKeys other = InstallationKeys.create(entropy, NOW);

        Optional<CellError> error =
                call(() -> controller(other).watch(cell, 0, WAIT)).error();

        assertThat(error).containsInstanceOf(CellError.Unreachable.class);
        assertThat(handedOver).isEmpty();
    }

    @Test
    void a_client_without_a_certificate_is_refused_in_the_handshake() throws Exception {
        CellAddress cell = cell("i-1");
        Config trusting = new ConfigBuilder(Config.empty())
                .withTrustCerts(true)
                .withRequestRetryBackoffLimit(0)
                .build();
        try (HttpClient anybody =
                HttpClientUtils.getHttpClientFactory().newBuilder(trusting).build()) {
            String uri = "https://127.0.0.1:" + cell.port() + Wire.STATE;

            Outcome<Exchange.Answer, String> answer =
                    call(() -> Exchange.send(anybody, loop, "GET", uri, "", Duration.ofSeconds(10)));

            assertThat(answer.error()).isPresent();
            assertThat(handedOver).isEmpty();
        }
    }

    @Test
    void a_machine_that_does_not_hold_the_secret_is_not_the_cell() throws Exception {
        SelfSigned own = SelfSigned.create(entropy, NOW, "cell");
        CellAddress cell = serve("i-1", own, agent("i-1", own.fingerprint(), Secret.of(new byte[32])));

        assertThat(call(() -> controller(keys).grant(cell, GRANT)).error())
                .containsInstanceOf(CellError.NotThatCell.class);
        assertThat(handedOver).isEmpty();
    }

    @Test
    void a_relay_cannot_serve_the_certificate_that_it_proves() throws Exception {
        SelfSigned victim = SelfSigned.create(entropy, NOW, "cell");
        SelfSigned relay = SelfSigned.create(entropy, NOW, "cell");
        CellAddress cell = serve("i-1", relay, agent("i-1", victim.fingerprint(), keys.enrolmentSecret("template", 3)));

        assertThat(call(() -> controller(keys).grant(cell, GRANT)).error())
                .containsInstanceOf(CellError.NotThatCell.class);
        assertThat(handedOver).isEmpty();
    }

    @Test
    void nothing_is_handed_to_who_takes_over_the_address_of_a_proved_cell() throws Exception {
        CellAddress cell = cell("i-1");
        HttpCellApi api = controller(keys);
        assertThat(call(() -> api.watch(cell, 0, WAIT)).value()).isPresent();
        servers.remove(0).close();
        handedOver.clear();

        SelfSigned other = SelfSigned.create(entropy, NOW, "cell");
        start(cell.port(), other, agent("i-1", other.fingerprint(), Secret.of(new byte[32])));

        assertThat(call(() -> api.grant(cell, GRANT)).error()).containsInstanceOf(CellError.NotThatCell.class);
        assertThat(call(() -> api.grant(cell, GRANT)).error()).containsInstanceOf(CellError.NotThatCell.class);
        assertThat(handedOver).isEmpty();
    }

    @Test
    void the_pinned_client_passes_nobody_before_the_proof() throws Exception {
        CellAddress cell = cell("i-1");
        CellTrust trust = new CellTrust();
        CellClients clients = clients(trust, keys);

        Outcome<Exchange.Answer, String> answer = call(() -> Exchange.send(
                clients.pinned(),
                loop,
                "GET",
                "https://127.0.0.1:" + cell.port() + Wire.STATE,
                "",
                Duration.ofSeconds(5)));

        assertThat(answer.error())
                .hasValueSatisfying(reason -> assertThat(reason).contains("not the one that was proved"));
        assertThat(trust.presented("127.0.0.1", cell.port())).isPresent();
    }

    @Test
    void where_nobody_listens_the_cell_is_unreachable() throws Exception {
        CellAddress cell = cell("i-1");
        servers.remove(0).close();

        assertThat(call(() -> controller(keys).watch(cell, 0, WAIT)).error())
                .containsInstanceOf(CellError.Unreachable.class);
    }

    private CellAddress cell(String instanceId) throws IOException {
        SelfSigned own = SelfSigned.create(entropy, NOW, "cell");
        return serve(instanceId, own, agent(instanceId, own.fingerprint(), keys.enrolmentSecret("template", 3)));
    }

    private CellAddress serve(String instanceId, SelfSigned tls, HttpService agent) throws IOException {
        return new CellAddress(instanceId, "127.0.0.1", start(0, tls, agent));
    }

    private int start(int port, SelfSigned tls, HttpService agent) throws IOException {
        VertxHttpServer server = VertxHttpServer.start(
                ServerBinding.secure(
                        "127.0.0.1",
                        port,
                        ServerTls.mutual(
                                tls.certificatePem(),
                                tls.keyPem(),
                                SelfSigned.certificatePem(keys.controllerCertificate()))),
                loop,
                agent);
        servers.add(server);
        return server.port();
    }

    /** Proves itself by {@code secret} and takes every order. */
    private HttpService agent(String instanceId, String fingerprint, Secret secret) {
        return call -> {
            if (call.rawPath().equals(Wire.IDENTITY)) {
                Identity identity = Identity.prove(
                        secret,
                        Identity.By.ENROLMENT,
                        call.parameter(Wire.NONCE).orElse(""),
                        instanceId,
                        fingerprint,
                        "template",
                        3);
                answer(call, Wire.encode(identity));
            } else {
                handedOver.add(
                        call.method() + " " + call.rawPath() + " " + call.peer().orElse("nobody"));
                answer(call, Wire.encode(new CellReport(instanceId, 1, 3, Optional.empty())));
            }
        };
    }

    private static void answer(HttpCall call, byte[] body) {
        call.respond(200, ImmutableMap.of("content-type", Wire.CONTENT_TYPE), body);
    }

    private HttpCellApi controller(InstallationKeys withKeys) {
        CellTrust trust = new CellTrust();
        return new HttpCellApi(clients(trust, withKeys), loop, entropy, withKeys, trust, AddressMap.none());
    }

    private CellClients clients(CellTrust trust, InstallationKeys withKeys) {
        CellClients clients = trust.clients(HttpClientUtils.getHttpClientFactory(), withKeys);
        opened.add(clients);
        return clients;
    }

    private <T> T call(Supplier<CompletionStage<T>> call) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.post(() -> call.get().thenAccept(result::complete));
        return result.get(20, TimeUnit.SECONDS);
    }
}
