package dev.kip.checkpointer.cli;

import dev.kip.checkpointer.Checkpointer;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.cri.GrpcCri;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.disk.nio.NioDisk;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.Offload;
import dev.kip.loop.Offload.Abandoned;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import io.fabric8.kubernetes.client.Config;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A checkpointer on the seams of a real process. */
final class RealProcess {

    private static final Logger LOG = LoggerFactory.getLogger(RealProcess.class);

    /** Twice this at most goes by before a pod is brought back although the API server swallows every packet. */
    private static final Duration API_TIMEOUT = Duration.ofSeconds(3);

    private static final Duration OPENING = Duration.ofSeconds(60);

    private static final int SLOTS = 4;

    private RealProcess(CheckpointerSettings settings, Path kubeconfig, Path socket) {
        SystemLoop loop = SystemLoop.start("checkpointer");
        Offload offload = new ThreadOffload(loop, "offload", SLOTS);
        NodeFacts node = NodeFacts.named(settings.node());
        LOG.info(
                "node {}, container runtime at {}, checkpoints in {}, static pods in {}",
                settings.node(),
                socket,
                settings.layout().state(),
                settings.layout().manifests());
        Checkpointer checkpointer = new Checkpointer(
                settings,
                new Checkpointer.Seams(
                        loop,
                        offload,
                        new NioDisk(),
                        new GrpcCri(socket, settings.runtimeTimeout()),
                        kube(loop, offload, kubeconfig),
                        new TableSanitiser(),
                        version -> new KubeletCheck(KubeletModel.of(version), node)));
        checkpointer.whenRefused(() -> Runtime.getRuntime().halt(1));
        loop.post(checkpointer::start);
    }

    static RealProcess start(CheckpointerSettings settings, Path kubeconfig, Path socket) {
        return new RealProcess(settings, kubeconfig, socket);
    }

    /** There is nothing to give up in order: what counts is on disk, and the lock goes with the process. */
    void untilStopped() {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            LOG.info("stopped");
                            Runtime.getRuntime().halt(0);
                        },
                        "stop"));
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static KubeApi kube(SystemLoop loop, Offload offload, Path kubeconfig) {
        Executor decoder = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "decoder");
            thread.setDaemon(true);
            return thread;
        });
        return new OpeningKubeApi(
                loop,
                () -> offload.call("open " + kubeconfig, OPENING, () -> open(loop, decoder, kubeconfig))
                        .thenApply(outcome -> outcome.mapError(RealProcess::reason)));
    }

    private static KubeApi open(SystemLoop loop, Executor decoder, Path kubeconfig) {
        Config config = KubeClients.config(Optional.of(kubeconfig.toFile()));
        LOG.info("API server {}", KubeClients.base(config));
        return new HttpKubeApi(KubeClients.open(config), KubeClients.base(config), loop, decoder, API_TIMEOUT);
    }

    private static String reason(Abandoned abandoned) {
        return abandoned instanceof Abandoned.Threw threw
                ? String.valueOf(threw.exception().getMessage())
                : "the way to the API server was not open in " + OPENING.toSeconds() + " s";
    }
}
