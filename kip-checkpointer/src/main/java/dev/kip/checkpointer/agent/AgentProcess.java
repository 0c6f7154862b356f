package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.cell.wire.Wire;
import dev.kip.checkpointer.cri.GrpcCri;
import dev.kip.disk.nio.NioDisk;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** An agent on the seams of a real process. */
final class AgentProcess {

    private static final Logger LOG = LoggerFactory.getLogger(AgentProcess.class);

    /** A bundle holds secrets and config maps of 1 MiB each, in base64. */
    private static final int MAX_BODY_BYTES = 32 << 20;

    private static final Duration RUNTIME = Duration.ofSeconds(10);

    /** So many containers can be ended side by side. Threads are made when they are needed. */
    private static final int SLOTS = 16;

    private AgentProcess() {}

    /**
     * Runs until the process is stopped. There is nothing to give up in order: what counts is on disk.
     *
     * @throws IOException if this cell cannot be served; the message says why
     */
    static void run(AgentSettings settings, Path socket, String bind, ImmutableList<String> shutdown)
            throws IOException {
        SystemLoop loop = SystemLoop.start("agent");
        Agent agent = start(settings, socket, loop, shutdown);
        SelfSigned key = agent.key();
        ServerTls tls = ServerTls.mutual(
                key.certificatePem(),
                key.keyPem(),
                SelfSigned.certificatePem(settings.userData().controller()));
        ServerBinding binding = ServerBinding.secure(bind, Wire.PORT, tls).maxBodyBytes(MAX_BODY_BYTES);
        try (VertxHttpServer server = VertxHttpServer.start(binding, loop, agent)) {
            LOG.info("answers at {}:{}", bind, server.port());
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** On the loop. */
    static Agent start(AgentSettings settings, Path socket, SystemLoop loop, ImmutableList<String> shutdown)
            throws IOException {
        CompletableFuture<Agent> opened = new CompletableFuture<>();
        loop.post(() -> {
            try {
                opened.complete(open(settings, socket, loop, shutdown));
            } catch (IOException | RuntimeException e) {
                opened.completeExceptionally(e);
            }
        });
        return await(opened);
    }

    private static Agent open(AgentSettings settings, Path socket, SystemLoop loop, ImmutableList<String> shutdown)
            throws IOException {
        CompletableFuture<KubeletPods> kubelet = new CompletableFuture<>();
        Agent agent = new Agent(
                settings,
                new Agent.Seams(
                        loop,
                        new ThreadOffload(loop, "offload", SLOTS),
                        new NioDisk(),
                        new SecureEntropy(),
                        () -> ask(kubelet),
                        new GrpcCri(socket, RUNTIME),
                        () -> shutDown(shutdown)));
        kubelet.complete(new HttpKubelet(settings.kubeletPort(), agent.key()));
        agent.start();
        return agent;
    }

    /** It is there before the agent first asks: its key is the agent's, which is read when the agent is made. */
    private static ObjectNode ask(CompletableFuture<KubeletPods> kubelet) throws IOException {
        return kubelet.join().pods();
    }

    private static void shutDown(ImmutableList<String> command) {
        LOG.warn("no controller has reached this cell for so long that nobody can want it: {}", command);
        try {
            new ProcessBuilder(command).inheritIO().start();
        } catch (IOException e) {
            LOG.error("the machine cannot be shut down", e);
        }
    }

    private static Agent await(CompletableFuture<Agent> opened) throws IOException {
        try {
            return opened.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(cause == null ? e.toString() : String.valueOf(cause.getMessage()), e);
        }
    }
}
