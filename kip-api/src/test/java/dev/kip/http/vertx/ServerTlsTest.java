package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpService;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.system.SystemLoop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

@Timeout(30)
class ServerTlsTest {

    private static final HttpService TELLS_PEER = call -> call.respond(
            200,
            ImmutableMap.of("content-type", "application/json"),
            ("{\"kind\":\"Status\",\"message\":\"" + call.peer().orElse("nobody") + "\"}").getBytes(UTF_8));

    private final TestAuthority authority = new TestAuthority();
    private final SystemLoop loop = SystemLoop.start("tls");

    @AfterEach
    void stop() {
        loop.close();
    }

    @Test
    void a_client_is_known_by_the_name_in_its_certificate() throws Exception {
        try (var server = serve(tls().clients(authority.pem(), true));
                var client = KubeClients.open(config(server, authority).build())) {
            assertThat(seen(server, client)).isEqualTo("{\"kind\":\"Status\",\"message\":\"kip-controller\"}");
        }
    }

    @Test
    void a_client_of_another_authority_is_refused_where_it_must_prove_itself() throws Exception {
        try (var server = serve(tls().clients(authority.pem(), true));
                var client =
                        KubeClients.open(config(server, new TestAuthority()).build())) {
            assertThat(delete(server, client).error())
                    .hasValueSatisfying(error -> assertThat(error).isInstanceOf(KubeError.NoAnswer.class));
        }
    }

    @Test
    void a_client_without_a_certificate_has_no_name_where_it_need_not_prove_itself() throws Exception {
        try (var server = serve(tls().clients(authority.pem(), false));
                var client = KubeClients.open(config(server, authority)
                        .withClientCertData(null)
                        .withClientKeyData(null)
                        .build())) {
            assertThat(seen(server, client)).contains("nobody");
        }
    }

    @Test
    void a_server_of_an_unknown_authority_is_not_trusted() throws Exception {
        try (var server = serve(tls());
                var client = KubeClients.open(config(server, authority)
                        .withCaCertData(base64(new TestAuthority().pem()))
                        .build())) {
            assertThat(delete(server, client).error())
                    .hasValueSatisfying(error -> assertThat(error).isInstanceOf(KubeError.NoAnswer.class));
        }
    }

    private ServerTls tls() {
        TestAuthority.Identity identity = authority.issue("kube-apiserver");
        return ServerTls.of(identity.certificate(), identity.key());
    }

    private VertxHttpServer serve(ServerTls tls) throws IOException {
        return VertxHttpServer.start(ServerBinding.secure("127.0.0.1", 0, tls), loop, TELLS_PEER);
    }

    private ConfigBuilder config(VertxHttpServer server, TestAuthority clients) {
        TestAuthority.Identity identity = clients.issue("kip-controller");
        return new ConfigBuilder(Config.empty())
                .withMasterUrl("https://127.0.0.1:" + server.port())
                .withCaCertData(base64(authority.pem()))
                .withClientCertData(base64(identity.certificate()))
                .withClientKeyAlgo("EC")
                .withClientKeyData(base64(identity.key()));
    }

    private String seen(VertxHttpServer server, HttpClient client) {
        var api = new HttpKubeApi(client, base(server), loop, Runnable::run, Duration.ofSeconds(10));
        var answer = new CompletableFuture<String>();
        loop.post(() -> api.post(
                        Kinds.PODS, ref(), "binding", JsonMapper.shared().createObjectNode())
                .thenAccept(outcome -> answer.complete(outcome.fold(Object::toString, KubeError::message))));
        return answer.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private Outcome<KubeApi.Deleted, KubeError> delete(VertxHttpServer server, HttpClient client) {
        var api = new HttpKubeApi(client, base(server), loop, Runnable::run, Duration.ofSeconds(10));
        var answer = new CompletableFuture<Outcome<KubeApi.Deleted, KubeError>>();
        loop.post(() -> api.delete(Kinds.PODS, ref(), DeleteQuery.PLAIN).thenAccept(answer::complete));
        return answer.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static URI base(VertxHttpServer server) {
        return URI.create("https://127.0.0.1:" + server.port());
    }

    private static ObjectRef ref() {
        return new ObjectRef("default", "web");
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
