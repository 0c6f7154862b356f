package dev.kip.checkpointer.cli;

import dev.kip.checkpointer.Checkpointer;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.cri.GrpcCri;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.disk.nio.NioDisk;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A checkpointer on the seams of a real process. */
final class RealProcess implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RealProcess.class);

    private static final int SLOTS = 4;

    private final SystemLoop loop = SystemLoop.start("checkpointer");
    private final ThreadOffload offload = new ThreadOffload(loop, "offload", SLOTS);
    private final GrpcCri runtime;

    private RealProcess(CheckpointerSettings settings, Path kubeconfig, Path socket) {
        NodeFacts node = NodeFacts.named(settings.node());
        LOG.info(
                "node {}, container runtime at {}, checkpoints in {}, static pods in {}",
                settings.node(),
                socket,
                settings.layout().state(),
                settings.layout().manifests());
        runtime = new GrpcCri(socket, settings.runtimeTimeout());
        Checkpointer checkpointer = new Checkpointer(
                settings,
                new Checkpointer.Seams(
                        loop,
                        offload,
                        new NioDisk(),
                        runtime,
                        new OpeningKubeApi(loop, new ApiWay(loop, offload, decoder(), kubeconfig)),
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

    private static Executor decoder() {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "decoder");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Nothing is decided any more. For rehearsals and tests: a real process just ends. */
    @Override
    public void close() {
        loop.close();
        offload.close();
        runtime.close();
    }
}
