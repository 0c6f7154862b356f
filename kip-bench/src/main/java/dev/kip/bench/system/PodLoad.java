package dev.kip.bench.system;

import com.google.common.collect.ImmutableList;
import dev.kip.entropy.SecureEntropy;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.reflect.Reflector;
import dev.kip.kube.reflect.ReflectorHandler;
import dev.kip.kube.reflect.ReflectorSettings;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import tools.jackson.databind.node.ObjectNode;

/**
 * Pods created on a node, each already bound to it, until all are ready; then deleted until all are gone. So many requests
 * at a time.
 */
final class PodLoad {

    private static final String NAMESPACE = "default";
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Cluster cluster;
    private final String node;
    private final int pods;
    private final int lanes;

    PodLoad(Cluster cluster, String node, int pods, int lanes) {
        this.cluster = cluster;
        this.node = node;
        this.pods = pods;
        this.lanes = lanes;
    }

    /**
     * One way of all pods.
     *
     * @param all from the first request to the last pod that got there
     * @param p99 of the pods, each from its own request on
     * @param writes of everybody but this load in that time, with neither events nor leases
     */
    record Way(Duration all, Duration p99, long writes) {}

    /** @param events that were written on both ways */
    record Figures(Way up, Way down, long events) {}

    Figures run() {
        Watched watched = new Watched();
        Reflector<ObjectNode> reflector = cluster.on(() -> {
            Reflector<ObjectNode> made = new Reflector<>(
                    cluster.api(),
                    cluster.loop(),
                    new SecureEntropy(),
                    Cluster.PODS,
                    ObjectKey::of,
                    ReflectorSettings.ALL.namespace(NAMESPACE).labels("bench=" + node),
                    watched);
            made.start();
            return made;
        });
        try {
            Writes before = Writes.read(cluster.metrics());
            Times up = go(watched.ready, at -> cluster.api().create(Cluster.PODS, NAMESPACE, pod(at)));
            Writes between = Writes.read(cluster.metrics());
            Times down = go(
                    watched.gone,
                    at -> cluster.api().delete(Cluster.PODS, new ObjectRef(NAMESPACE, name(at)), DeleteQuery.PLAIN));
            Writes after = Writes.read(cluster.metrics());
            return new Figures(
                    up.way(between.others() - before.others() - pods),
                    down.way(after.others() - between.others() - pods),
                    after.events() - before.events());
        } finally {
            cluster.on(() -> {
                reflector.stop();
                return true;
            });
        }
    }

    private <T> Times go(Times times, IntFunction<CompletionStage<Outcome<T, KubeError>>> request) {
        cluster.loop().post(() -> {
            times.began = cluster.loop().nanos();
            for (int lane = 0; lane < lanes; lane++) {
                next(times, request);
            }
        });
        try {
            times.whole.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(
                    "of " + pods + " pods on node " + node + " only " + cluster.on(() -> times.arrived) + " came to be "
                            + times.what + " within " + PATIENCE,
                    e);
        }
        return times;
    }

    private <T> void next(Times times, IntFunction<CompletionStage<Outcome<T, KubeError>>> request) {
        if (times.asked == pods) {
            return;
        }
        int at = times.asked++;
        times.askedAt[at] = cluster.loop().nanos();
        request.apply(at)
                .thenAccept(outcome -> outcome.fold(done -> true, error -> {
                    times.whole.completeExceptionally(
                            new IllegalStateException("pod " + name(at) + ": " + error.message()));
                    return false;
                }))
                .thenRun(() -> next(times, request));
    }

    private String name(int at) {
        return "bench-" + node + "-" + at;
    }

    private ObjectNode pod(int at) {
        return Cluster.node("""
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "%s", "namespace": "%s", "labels": {"bench": "%s"}},
                 "spec": {"nodeName": "%s", "automountServiceAccountToken": false,
                   "containers": [{"name": "web", "image": "nginx:1.27",
                     "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}]}}
                """.formatted(name(at), NAMESPACE, node, node));
    }

    /** When each pod was asked for, and when it got there. Confined to the loop, but for {@link #whole}. */
    private final class Times {

        private final String what;
        private final long[] askedAt = new long[pods];
        private final long[] took = new long[pods];
        private final CompletableFuture<Boolean> whole = new CompletableFuture<>();
        private long began;
        private long ended;
        private int asked;
        private int arrived;

        Times(String what) {
            this.what = what;
        }

        void arrive(ObjectNode pod) {
            String name = pod.path("metadata").path("name").asString("");
            int at = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
            if (took[at] != 0 || askedAt[at] == 0) {
                return;
            }
            ended = cluster.loop().nanos();
            took[at] = Math.max(1, ended - askedAt[at]);
            arrived++;
            if (arrived == pods) {
                whole.complete(true);
            }
        }

        Way way(long writes) {
            long[] sorted = took.clone();
            Arrays.sort(sorted);
            return new Way(
                    Duration.ofNanos(ended - began),
                    Duration.ofNanos(sorted[(int) Math.ceil(pods * 0.99) - 1]),
                    writes);
        }
    }

    private final class Watched implements ReflectorHandler<ObjectNode> {

        private final Times ready = new Times("ready");
        private final Times gone = new Times("gone");

        @Override
        public void upserted(ObjectNode pod) {
            if (Cluster.isTrue(pod, "Ready")) {
                ready.arrive(pod);
            }
        }

        @Override
        public void deleted(ObjectNode pod) {
            gone.arrive(pod);
        }

        @Override
        public void replaced(ImmutableList<ObjectNode> all) {
            // what changed was told one by one
        }
    }
}
