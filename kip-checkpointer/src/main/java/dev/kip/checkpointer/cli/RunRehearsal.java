package dev.kip.checkpointer.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.disk.DurableFiles;
import dev.kip.disk.nio.NioDisk;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.HttpCall;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every part of the program once, against an API server of its own, so that its classes are loaded: from those a Java can
 * make an archive ({@code -XX:ArchiveClassesAtExit}) with which it starts in half the time and takes less memory.
 */
final class RunRehearsal {

    private static final Logger LOG = LoggerFactory.getLogger(RunRehearsal.class);
    private static final String NODE = "rehearsal";
    private static final String NAMESPACE = "kube-system";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private RunRehearsal() {}

    /** @throws IOException if a checkpoint does not come to be */
    static void run() throws IOException {
        Path scratch = Files.createTempDirectory("kip-checkpointer");
        SystemLoop loop = SystemLoop.start("rehearsal");
        SelfSigned key = SelfSigned.create(new SecureEntropy(), loop.now(), "localhost");
        ServerTls tls = ServerTls.of(key.certificatePem(), key.keyPem());
        try (VertxHttpServer server =
                VertxHttpServer.start(ServerBinding.secure("localhost", 0, tls), loop, RunRehearsal::answer)) {
            Path kubeconfig = scratch.resolve("kubeconfig");
            Files.writeString(kubeconfig, kubeconfig(server.port(), key));
            Layout layout = new Layout(scratch.resolve("state"), scratch.resolve("manifests"));
            RealProcess process =
                    RealProcess.start(settings(scratch, layout), kubeconfig, scratch.resolve("containerd.sock"));
            try {
                untilStored(layout.state());
                LOG.info("rehearsed: a checkpoint was made");
            } finally {
                process.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            new DurableFiles(new NioDisk()).removeTree(scratch);
        }
    }

    private static void untilStored(Path state) throws IOException, InterruptedException {
        for (int look = 0; look < PATIENCE.toSeconds() * 10; look++) {
            if (Files.exists(state)) {
                try (Stream<Path> files = Files.walk(state)) {
                    if (files.anyMatch(file -> file.endsWith("generation"))) {
                        return;
                    }
                }
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        throw new IOException("no checkpoint was made within " + PATIENCE.toSeconds() + " s");
    }

    private static CheckpointerSettings settings(Path scratch, Layout layout) {
        return new CheckpointerSettings(
                NODE,
                CheckpointerSettings.self(NAMESPACE, "kip-checkpointer", NODE),
                ImmutableList.of(NAMESPACE),
                layout,
                scratch.resolve("lock"),
                Policy.withGrace(Duration.ofMinutes(1)),
                CheckpointerSettings.PASS,
                CheckpointerSettings.REFRESH,
                Duration.ofSeconds(1),
                Duration.ofDays(2),
                Optional.empty());
    }

    private static String kubeconfig(int port, SelfSigned key) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                  - name: c
                    cluster: {server: "https://localhost:PORT", certificate-authority-data: AUTHORITY}
                users:
                  - name: u
                    user: {token: none}
                contexts:
                  - name: c
                    context: {cluster: c, user: u}
                current-context: c
                """.replace("PORT", Integer.toString(port))
                .replace("AUTHORITY", Base64.getEncoder().encodeToString(key.certificatePem()));
    }

    private static void answer(HttpCall call) {
        String path = call.rawPath();
        String body;
        if (path.endsWith("/token")) {
            body = """
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                     "status": {"token": "none", "expirationTimestamp": "2100-01-01T00:00:00Z"}}
                    """;
        } else if (path.endsWith("/pods")) {
            body = """
                    {"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [PODS]}
                    """.replace("PODS", pod());
        } else if (path.contains("/nodes/")) {
            body = """
                    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "rehearsal", "uid": "n"},
                     "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"}}}
                    """;
        } else if (path.contains("/priorityclasses/")) {
            body = """
                    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "p"}, "value": 1}
                    """;
        } else {
            String kind = path.contains("/secrets/") ? "Secret" : "ConfigMap";
            body = """
                    {"apiVersion": "v1", "kind": "KIND", "metadata": {"name": "x", "uid": "x"}, "data": {"key": "eA=="}}
                    """.replace("KIND", kind);
        }
        call.respond(200, ImmutableMap.of("Content-Type", "application/json"), body.getBytes(UTF_8));
    }

    private static String pod() {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "kube-system", "uid": "u",
                   "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true"},
                   "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "x", "uid": "d", "controller": true}]},
                 "spec": {"nodeName": "rehearsal", "hostNetwork": true, "restartPolicy": "Always", "serviceAccountName": "x",
                   "priorityClassName": "p", "nodeSelector": {"a": "b"}, "tolerations": [{"operator": "Exists"}],
                   "containers": [{"name": "x", "image": "x:1", "imagePullPolicy": "Always", "command": ["x"],
                     "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "x", "key": "key"}}}],
                     "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
                     "volumeMounts": [{"name": "s", "mountPath": "/s"}]}],
                   "volumes": [{"name": "s", "secret": {"secretName": "x"}}, {"name": "c", "configMap": {"name": "x"}},
                     {"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]},
                 "status": {"phase": "Running"}}
                """;
    }
}
