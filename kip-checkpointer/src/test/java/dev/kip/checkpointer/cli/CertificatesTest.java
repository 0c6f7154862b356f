package dev.kip.checkpointer.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.NodeStatus;
import dev.kip.checkpointer.cli.TestCertificate.Signed;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.disk.nio.NioDisk;
import dev.kip.http.HttpCall;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import dev.kip.outcome.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An API server behind a real TLS socket, and certificates whose time is over, or has not come. */
class CertificatesTest {

    private static final long BOUND_SECONDS = 60;
    private static final Duration LOOK = Duration.ofMillis(100);

    @TempDir
    Path directory;

    private final TestCertificate certificates = new TestCertificate();
    private final SystemLoop loop = SystemLoop.start("test");
    private final ThreadOffload offload = new ThreadOffload(loop, "offload", 2);
    private final Signed serving = certificates.good("kube-apiserver");
    private Optional<VertxHttpServer> server = Optional.empty();
    private Path kubeconfig = Path.of("");

    @BeforeEach
    void place() {
        kubeconfig = directory.resolve("kubeconfig");
    }

    @AfterEach
    void stop() {
        server.ifPresent(VertxHttpServer::close);
        offload.close();
        loop.close();
    }

    private static ServerTls tls(Signed signed) {
        return ServerTls.of(signed.certificate(), signed.key());
    }

    private void serve(ServerTls tls) throws IOException {
        VertxHttpServer started =
                VertxHttpServer.start(ServerBinding.secure("127.0.0.1", 0, tls), loop, CertificatesTest::answer);
        server = Optional.of(started);
        Files.write(directory.resolve("ca.crt"), certificates.authorityPem());
        own(certificates.good("system:node:n"));
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", certificate-authority: ca.crt}}]
                users: [{name: u, user: {client-certificate: own.crt, client-key: own.key}}]
                contexts: [{name: c, context: {cluster: c, user: u}}]
                current-context: c
                """.formatted(started.port()));
    }

    /** What the client shows, in the files that the kubeconfig names. */
    private void own(Signed signed) throws IOException {
        Files.write(directory.resolve("own.crt"), signed.certificate());
        Files.write(directory.resolve("own.key"), signed.clientKey());
    }

    private static void answer(HttpCall call) {
        String body = call.rawPath().endsWith("/pods") ? """
                {"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [
                  {"metadata": {"name": "web", "namespace": "kube-system", "uid": "u",
                     "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true"}},
                   "spec": {"nodeName": "n", "hostNetwork": true, "restartPolicy": "Always",
                     "containers": [{"name": "c", "image": "i:1"}]}, "status": {"phase": "Running"}}]}
                """ : """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "n"},
                 "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"}}}
                """;
        call.respond(200, ImmutableMap.of("Content-Type", "application/json"), body.getBytes(UTF_8));
    }

    private OpeningKubeApi client() {
        return new OpeningKubeApi(loop, new ApiWay(loop, offload, Runnable::run, kubeconfig), Duration.ofMillis(100));
    }

    /** The error of one request; empty if it is answered. */
    private String ask(OpeningKubeApi client) {
        CompletableFuture<Outcome<?, KubeError>> answer = new CompletableFuture<>();
        loop.post(() -> client.list(Kinds.PODS, ListQuery.ALL).thenAccept(answer::complete));
        return answer.orTimeout(BOUND_SECONDS, TimeUnit.SECONDS)
                .join()
                .error()
                .map(KubeError::message)
                .orElse("");
    }

    /** Asks again a while after each refusal; the last error if it is never answered. */
    private String askUntilAnswered(OpeningKubeApi client) {
        CompletableFuture<String> answered = new CompletableFuture<>();
        loop.post(() -> askAgain(client, answered));
        return answered.completeOnTimeout("not answered", BOUND_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private void askAgain(OpeningKubeApi client, CompletableFuture<String> answered) {
        client.list(Kinds.PODS, ListQuery.ALL)
                .thenAccept(outcome -> outcome.on(
                        page -> answered.complete(""), error -> loop.after(LOOK, () -> askAgain(client, answered))));
    }

    /** kube-apiserver reads its files anew. */
    private void renew(Signed signed) throws IOException {
        server.orElseThrow().renew(tls(signed));
    }

    @Test
    void a_server_whose_certificate_expired_is_named_and_one_that_renews_it_is_talked_to_again() throws IOException {
        serve(tls(certificates.expired("kube-apiserver")));
        OpeningKubeApi client = client();

        assertThat(ask(client)).contains("the server's certificate has expired", "renew it", "clock");
        renew(serving);
        assertThat(askUntilAnswered(client)).isEmpty();
    }

    @Test
    void a_clock_at_1970_is_suspected_when_no_certificate_is_valid_yet() throws IOException {
        serve(tls(certificates.notYetValid("kube-apiserver")));
        OpeningKubeApi client = client();

        assertThat(ask(client)).contains("the server's certificate is not valid yet", "this machine's clock is wrong");
        renew(serving); // what was wrong was the clock
        assertThat(askUntilAnswered(client)).isEmpty();
    }

    @Test
    void a_client_whose_certificate_expired_is_told_so_and_takes_the_new_one_without_a_restart() throws IOException {
        serve(tls(serving).clients(certificates.authorityPem(), true));
        own(certificates.expired("system:node:n"));
        OpeningKubeApi client = client();

        assertThat(ask(client)).contains("the server does not take this client's certificate");
        own(certificates.good("system:node:n"));
        assertThat(askUntilAnswered(client)).isEmpty();
    }

    @Test
    void a_server_that_somebody_else_signed_is_not_trusted_until_the_authority_is_replaced() throws IOException {
        TestCertificate others = new TestCertificate();
        serve(tls(others.good("kube-apiserver")));
        OpeningKubeApi client = client();

        assertThat(ask(client)).contains("signed by nobody whom this client trusts");
        Files.write(directory.resolve("ca.crt"), others.authorityPem());
        assertThat(askUntilAnswered(client)).isEmpty();
    }

    @Test
    void checkpoints_stay_while_nobody_can_talk_and_the_report_says_why() throws Exception {
        serve(tls(serving));
        Layout layout = new Layout(directory.resolve("state"), directory.resolve("manifests"));
        RealProcess process = RealProcess.start(
                new CheckpointerSettings(
                        "n",
                        CheckpointerSettings.self("kube-system", "c", "n"),
                        ImmutableList.of("kube-system"),
                        layout,
                        directory.resolve("lock"),
                        Policy.withGrace(Duration.ofSeconds(1)),
                        Duration.ofMillis(200),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofHours(1),
                        Optional.empty()),
                kubeconfig,
                directory.resolve("no.sock"));
        try {
            until(
                    layout,
                    status -> status.pods().size() == 1 && apiProblem(status).isEmpty());
            cutConnections();
            until(layout, status -> apiProblem(status).contains("the server's certificate has expired"));
            assertThat(status(layout).pods()).hasSize(1);
            renew(serving);
            until(layout, status -> apiProblem(status).isEmpty());
            assertThat(status(layout).pods()).hasSize(1);
        } finally {
            process.close();
        }
    }

    /** A certificate is looked at when a connection is made: the server starts anew on its port. */
    private void cutConnections() throws IOException {
        int port = server.orElseThrow().port();
        server.orElseThrow().close();
        server = Optional.of(VertxHttpServer.start(
                ServerBinding.secure("127.0.0.1", port, tls(certificates.expired("kube-apiserver"))),
                loop,
                CertificatesTest::answer));
    }

    private static NodeStatus status(Layout layout) throws IOException {
        return NodeStatus.read(
                new NioDisk(),
                layout,
                new Scope("n", "kube-system"),
                Optional.empty(),
                version -> manifest -> ImmutableList.of());
    }

    private static String apiProblem(NodeStatus status) {
        return status.problems().stream()
                .filter(text -> text.startsWith("the API server"))
                .findFirst()
                .orElse("");
    }

    private void until(Layout layout, Predicate<NodeStatus> wanted) throws IOException {
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        loop.post(() -> look(layout, wanted, seen));
        if (!seen.completeOnTimeout(false, BOUND_SECONDS, TimeUnit.SECONDS).join()) {
            throw new AssertionError(
                    "within " + BOUND_SECONDS + " s only " + status(layout).json());
        }
    }

    private void look(Layout layout, Predicate<NodeStatus> wanted, CompletableFuture<Boolean> seen) {
        try {
            if (Files.exists(layout.state()) && wanted.test(status(layout))) {
                seen.complete(true);
            } else {
                loop.after(LOOK, () -> look(layout, wanted, seen));
            }
        } catch (IOException e) {
            seen.completeExceptionally(e);
        }
    }
}
