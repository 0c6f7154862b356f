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
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import io.fabric8.kubernetes.client.Config;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A checkpointer on the seams of a real process. */
final class RealProcess {

    private static final Logger LOG = LoggerFactory.getLogger(RealProcess.class);

    /** Twice this at most goes by before a pod is brought back although the API server swallows every packet. */
    private static final Duration API_TIMEOUT = Duration.ofSeconds(3);

    private static final int SLOTS = 4;

    private RealProcess(CheckpointerSettings settings, Path kubeconfig, Path socket) {
        SystemLoop loop = SystemLoop.start("checkpointer");
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
                        new ThreadOffload(loop, "offload", SLOTS),
                        new NioDisk(),
                        new GrpcCri(socket, settings.runtimeTimeout()),
                        kube(loop, kubeconfig),
                        new TableSanitiser(),
                        version -> new KubeletCheck(KubeletModel.of(version), node)));
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

    private static KubeApi kube(SystemLoop loop, Path kubeconfig) {
        try {
            Config config = KubeClients.config(Optional.of(kubeconfig.toFile()));
            LOG.info("API server {}", KubeClients.base(config));
            return new HttpKubeApi(
                    KubeClients.open(config),
                    KubeClients.base(config),
                    loop,
                    Executors.newSingleThreadExecutor(task -> {
                        Thread thread = new Thread(task, "decoder");
                        thread.setDaemon(true);
                        return thread;
                    }),
                    API_TIMEOUT);
        } catch (IllegalArgumentException e) {
            // What is on disk must run all the same.
            LOG.error(
                    "{}; no new checkpoint is made until this is mended and the checkpointer restarted",
                    e.getMessage());
            return new NoKubeApi(String.valueOf(e.getMessage()));
        }
    }
}
