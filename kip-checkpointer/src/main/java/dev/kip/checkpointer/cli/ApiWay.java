package dev.kip.checkpointer.cli;

import com.google.common.base.Strings;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import dev.kip.loop.Offload.Abandoned;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way to the API server that a kubeconfig describes, with the certificates that it names. Used on the loop. */
final class ApiWay {

    private static final Logger LOG = LoggerFactory.getLogger(ApiWay.class);

    /** Twice this at most goes by before a pod is brought back although the API server swallows every packet. */
    private static final Duration API_TIMEOUT = Duration.ofSeconds(3);

    private static final Duration OPENING = Duration.ofSeconds(60);

    private final Loop loop;
    private final Offload offload;
    private final Executor decoder;
    private final Path kubeconfig;

    ApiWay(Loop loop, Offload offload, Executor decoder, Path kubeconfig) {
        this.loop = loop;
        this.offload = offload;
        this.decoder = decoder;
        this.kubeconfig = kubeconfig;
    }

    /**
     * An open way.
     *
     * @param seen of the files that it was opened with; tokens apart, which are read anew as they are used
     */
    record Open(KubeApi api, HttpClient client, String seen) {}

    /** Opens it off the loop, or says why it cannot be opened. */
    CompletionStage<Outcome<Open, String>> open() {
        return offload.call("open " + kubeconfig, OPENING, this::opened)
                .thenApply(outcome -> outcome.mapError(ApiWay::reason));
    }

    /** Whether the files say something else now than when this was opened. */
    CompletionStage<Boolean> hasChanged(Open open) {
        return offload.call(
                        "look at " + kubeconfig,
                        OPENING,
                        () -> !open.seen().equals(seen(KubeClients.config(Optional.of(kubeconfig.toFile())))))
                .thenApply(outcome -> outcome.fold(changed -> changed, unreadable -> false));
    }

    /** Ends its connections, off the loop. */
    void close(Open open) {
        offload.call("close " + kubeconfig, OPENING, () -> {
            open.client().close();
            return true;
        });
    }

    private Open opened() throws IOException {
        Config config = KubeClients.config(Optional.of(kubeconfig.toFile()));
        LOG.info("API server {}", KubeClients.base(config));
        String seen = seen(config);
        HttpClient client = KubeClients.open(config);
        return new Open(new HttpKubeApi(client, KubeClients.base(config), loop, decoder, API_TIMEOUT), client, seen);
    }

    private String seen(Config config) throws IOException {
        Hasher hasher = Hashing.sha256().newHasher();
        for (String file : Stream.of(
                        kubeconfig.toString(),
                        config.getCaCertFile(),
                        config.getClientCertFile(),
                        config.getClientKeyFile())
                .map(Strings::nullToEmpty)
                .toList()) {
            byte[] content = file.isEmpty() ? new byte[0] : Files.readAllBytes(Path.of(file));
            hasher.putInt(content.length).putBytes(content);
        }
        return hasher.hash().toString();
    }

    private static String reason(Abandoned abandoned) {
        return abandoned instanceof Abandoned.Threw threw
                ? String.valueOf(threw.exception().getMessage())
                : "the way to the API server was not open in " + OPENING.toSeconds() + " s";
    }
}
