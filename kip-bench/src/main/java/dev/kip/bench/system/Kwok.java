package dev.kip.bench.system;

import com.google.common.collect.ImmutableList;
import dev.kip.bench.Endings;
import dev.kip.bench.Patience;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;

/** kwok, from a binary that was given, with its own fast stages: it has no machines and no containers, only their status. */
final class Kwok implements Peer {

    private static final String NODE = "kwok-node";
    private static final String ANNOTATION = "kwok.x-k8s.io/node";
    private static final int PATIENCE_SECONDS = 10;

    private final Cluster cluster;
    private final Process process;

    Kwok(Path program, Path kubeconfig, Path log, Cluster cluster) throws IOException {
        this.cluster = cluster;
        cluster.createNode(NODE, ANNOTATION);
        process = new ProcessBuilder(ImmutableList.of(
                        program.toString(),
                        "--kubeconfig=" + kubeconfig,
                        "--manage-all-nodes=false",
                        "--manage-nodes-with-annotation-selector=" + ANNOTATION + "=fake",
                        "--node-lease-duration-seconds=40"))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log.toFile()))
                .start();
        Patience.until("kwok's node is ready, see " + log, Duration.ofSeconds(60), () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        program + " ended with exit code " + process.exitValue() + ": see " + log);
            }
            return cluster.isReady(NODE);
        });
    }

    @Override
    public String name() {
        return "kwok";
    }

    @Override
    public String node() {
        return NODE;
    }

    @Override
    public long residentBytes() {
        return Resident.peakBytes(process.pid());
    }

    @Override
    public void close() {
        process.destroy();
        Endings.await(process, PATIENCE_SECONDS);
        cluster.deleteNode(NODE);
    }
}
