package dev.kip.kube.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.loop.ManualLoop;
import dev.kip.loop.system.SystemLoop;
import io.fabric8.kubernetes.client.Config;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class KubeClientsTest {

    @TempDir
    Path directory;

    private final ManualLoop loop = new ManualLoop();

    @Test
    void a_token_file_that_is_replaced_is_read_again_after_a_401() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        Path token = Files.writeString(directory.resolve("token"), "first\n");
        try (var serverLoop = SystemLoop.start("server");
                var server = VertxHttpServer.start(ServerBinding.plain("127.0.0.1", 0), serverLoop, call -> {
                    String authorization = call.header("authorization").orElse("");
                    seen.add(authorization);
                    boolean good = authorization.equals("Bearer second");
                    call.respond(
                            good ? 200 : 401,
                            ImmutableMap.of(),
                            (good ? "{\"metadata\":{},\"items\":[]}" : "{\"kind\":\"Status\",\"code\":401}")
                                    .getBytes(UTF_8));
                });
                var client = KubeClients.open(
                        KubeClients.config(Optional.of(kubeconfig(server.port(), "tokenFile: token"))))) {
            var api = new HttpKubeApi(
                    client,
                    URI.create("http://127.0.0.1:" + server.port()),
                    loop,
                    Runnable::run,
                    Duration.ofSeconds(10));
            Files.writeString(token, "second\n");
            var errors = new ArrayList<Optional<KubeError>>();
            for (int attempt = 0; attempt < 1000 && !seen.contains("Bearer second"); attempt++) {
                errors.add(loop.await(api.list(Kinds.NODES, ListQuery.ALL)).error());
            }

            assertThat(seen).startsWith("Bearer first").endsWith("Bearer second");
            assertThat(errors.get(0))
                    .hasValueSatisfying(error -> assertThat(error).isInstanceOf(KubeError.Unauthorized.class));
            assertThat(seen).as("a refused request is not sent again by itself").hasSameSizeAs(errors);
        }
    }

    @Test
    void a_kubeconfig_says_where_and_who() throws Exception {
        Config config = KubeClients.config(Optional.of(kubeconfig(6443, "token: abc")));

        assertThat(KubeClients.base(config)).hasHost("127.0.0.1").hasPort(6443);
        assertThat(config.getAutoOAuthToken()).isEqualTo("abc");
    }

    @Test
    void a_missing_kubeconfig_is_named() {
        File missing = directory.resolve("nowhere").toFile();

        assertThatThrownBy(() -> KubeClients.config(Optional.of(missing)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("kubeconfig " + missing + ": no such file, or not readable");
    }

    @Test
    void a_kubeconfig_that_is_no_yaml_is_named() throws Exception {
        Path broken = Files.writeString(directory.resolve("broken"), "{{{{ not yaml");

        assertThatThrownBy(() -> KubeClients.config(Optional.of(broken.toFile())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("kubeconfig " + broken);
    }

    @Test
    void a_kubeconfig_without_a_current_context_is_refused_with_the_remedy() throws Exception {
        Path empty = Files.writeString(directory.resolve("empty"), "apiVersion: v1\nkind: Config\n");

        assertThatThrownBy(() -> KubeClients.config(Optional.of(empty.toFile())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no current-context; set one with kubectl config use-context");
    }

    private File kubeconfig(int port, String user) throws Exception {
        return Files.writeString(directory.resolve("kubeconfig"), """
                        apiVersion: v1
                        kind: Config
                        current-context: test
                        contexts: [{name: test, context: {cluster: test, user: test}}]
                        clusters: [{name: test, cluster: {server: "http://127.0.0.1:%d"}}]
                        users: [{name: test, user: {%s}}]
                        """.formatted(port, user))
                .toFile();
    }
}
