package dev.kip.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.system.SystemLoop;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

/**
 * The experiment of docs/decisions/0002: a process lists 10,000 pods and renews a lease meanwhile. Prints how long its loop
 * stood still (which a busy machine adds to), and how long it worked without a pause (which it does not). The bounds are
 * generous: what they must tell apart is tens of milliseconds from seconds.
 */
@Timeout(120)
class DecodeOffTheLoopTest {

    private static final int PODS = 10_000;
    private static final Duration BEAT = Duration.ofMillis(5);
    private static final Duration RENEWAL = Duration.ofMillis(100);

    private final Map<String, byte[]> pages = new ConcurrentHashMap<>();
    private final SystemLoop serverLoop = SystemLoop.start("server");
    private final SystemLoop loop = SystemLoop.start("process");
    private final ExecutorService pool = Executors.newSingleThreadExecutor(task -> {
        var thread = new Thread(task, "decoder");
        thread.setDaemon(true);
        return thread;
    });

    @AfterEach
    void stop() {
        loop.close();
        serverLoop.close();
        pool.shutdownNow();
    }

    @Test
    void a_process_that_lists_ten_thousand_pods_keeps_renewing_its_lease() throws Exception {
        try (var server = VertxHttpServer.start(ServerBinding.plain("127.0.0.1", 0), serverLoop, this::serve);
                var client = KubeClients.open(Config.empty())) {
            URI base = URI.create("http://127.0.0.1:" + server.port());
            run("warming up", client, base, pool, 500);
            run("warming up", client, base, pool, 0);
            Figures onePiece = run("decoded off the loop, one answer", client, base, pool, 0);
            Figures inPages = run("decoded off the loop, pages of 500", client, base, pool, 500);
            run("decoded on the loop, one answer", client, base, loop::post, 0);
            run("decoded on the loop, pages of 500", client, base, loop::post, 500);

            assertThat(onePiece.longestWork()).isLessThan(Duration.ofSeconds(1));
            assertThat(inPages.longestWork()).isLessThan(Duration.ofSeconds(1));
            assertThat(inPages.longestGap()).as("the renew deadline of a lease").isLessThan(Duration.ofSeconds(10));
        }
    }

    private Figures run(String name, HttpClient client, URI base, Executor decoder, int pageSize) {
        var api = new HttpKubeApi(client, base, loop, decoder, Duration.ofMinutes(1));
        var lister = new Lister(api, pageSize);
        loop.post(lister::start);
        Figures figures = lister.done.orTimeout(60, TimeUnit.SECONDS).join();
        System.out.printf(
                Locale.ROOT,
                "%-36s list took %,6d ms; loop at longest stood still %,5d ms and worked %,5d ms; %3d renewals, longest gap %,5d ms%n",
                name,
                figures.took().toMillis(),
                figures.longestStall().toMillis(),
                figures.longestWork().toMillis(),
                figures.renewals(),
                figures.longestGap().toMillis());
        return figures;
    }

    private record Figures(
            Duration took, Duration longestStall, Duration longestWork, int renewals, Duration longestGap) {}

    /** Lists, renews, and feels its own pulse. Confined to the loop. */
    private final class Lister {

        private final CompletableFuture<Figures> done = new CompletableFuture<>();
        private final HttpKubeApi api;
        private final int pageSize;
        private final ResourceKind<ObjectNode> leases = Kinds.LEASES.as(Codecs.tree());
        private long began;
        private long lastBeat;
        private long longestStall;
        private long lastCpu;
        private long longestWork;
        private long lastRenewal;
        private long longestGap;
        private int renewals;
        private int listed;

        Lister(HttpKubeApi api, int pageSize) {
            this.api = api;
            this.pageSize = pageSize;
        }

        void start() {
            began = loop.nanos();
            lastCpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            lastBeat = began;
            lastRenewal = began;
            beat();
            renew();
            list(new ListQuery("", "", "", "", pageSize, ""));
        }

        private void beat() {
            pulse();
            if (!done.isDone()) {
                loop.after(BEAT, this::beat);
            }
        }

        private void pulse() {
            longestStall = Math.max(longestStall, loop.nanos() - lastBeat - BEAT.toNanos());
            lastBeat = loop.nanos();
            long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            longestWork = Math.max(longestWork, cpu - lastCpu);
            lastCpu = cpu;
        }

        private void renew() {
            ObjectNode lease = KubeJson.MAPPER.createObjectNode();
            lease.withObject("/metadata").put("name", "kip");
            api.replace(leases, new ObjectRef("kip", "kip"), lease).thenAccept(outcome -> {
                assertThat(outcome.value()).isPresent();
                longestGap = Math.max(longestGap, loop.nanos() - lastRenewal);
                lastRenewal = loop.nanos();
                renewals++;
                if (!done.isDone()) {
                    loop.after(RENEWAL, this::renew);
                }
            });
        }

        private void list(ListQuery query) {
            api.list(Kinds.PODS, query)
                    .thenAccept(outcome -> outcome.on(
                            page -> {
                                listed += page.items().size();
                                if (page.continueToken().isEmpty()) {
                                    finish(page);
                                } else {
                                    list(query.continuing(page.continueToken()));
                                }
                            },
                            error -> done.completeExceptionally(new AssertionError(error.toString()))));
        }

        private void finish(Page<Pod> last) {
            pulse();
            longestGap = Math.max(longestGap, loop.nanos() - lastRenewal);
            assertThat(listed).isEqualTo(PODS);
            assertThat(last.refused()).isEmpty();
            done.complete(new Figures(
                    Duration.ofNanos(loop.nanos() - began),
                    Duration.ofNanos(longestStall),
                    Duration.ofNanos(longestWork),
                    renewals,
                    Duration.ofNanos(longestGap)));
        }
    }

    private void serve(HttpCall call) {
        var json = ImmutableMap.of("content-type", "application/json");
        if (call.method().equals("PUT")) {
            call.respond(200, json, call.body());
            return;
        }
        int limit = call.parameter("limit").map(Integer::parseInt).orElse(PODS);
        int from = call.parameter("continue").map(Integer::parseInt).orElse(0);
        int to = Math.min(PODS, from + limit);
        call.respond(200, json, pages.computeIfAbsent(from + "-" + to, any -> page(from, to)));
    }

    private static byte[] page(int from, int to) {
        String pod = pod();
        var text = new StringBuilder("{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"1\",\"continue\":\"")
                .append(to < PODS ? Integer.toString(to) : "")
                .append("\"},\"items\":[");
        for (int i = from; i < to; i++) {
            text.append(pod).append(i + 1 < to ? "," : "]}");
        }
        return text.toString().getBytes(UTF_8);
    }

    /** Some 3 KB, a quarter of it managedFields, as a Deployment's pod of two containers has. */
    private static String pod() {
        String container = """
                {"name":"c","image":"registry.example/team/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef",
                 "ports":[{"containerPort":8080,"protocol":"TCP"}],"terminationMessagePath":"/dev/termination-log",
                 "env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}}],
                 "resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"memory":"256Mi"}},
                 "volumeMounts":[{"name":"kube-api-access","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}""";
        String field =
                "\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"c\\\"}\":{\".\":{},\"f:image\":{},\"f:env\":{}}}}";
        return """
                {"metadata":{"name":"web-5d4f8c7b9-abcde","generateName":"web-5d4f8c7b9-","namespace":"default","uid":"5f7d1f0e-0000",
                 "resourceVersion":"123456","creationTimestamp":"2026-11-30T12:00:00Z","labels":{"app":"web","pod-template-hash":"5d4f8c7b9"},
                 "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5d4f8c7b9","uid":"u","controller":true}],
                 "managedFields":[{"manager":"kube-controller-manager","operation":"Update","fieldsV1":{FIELD}},
                  {"manager":"kubelet","operation":"Update","fieldsV1":{FIELD}},{"manager":"kip","operation":"Update","fieldsV1":{FIELD}}]},
                 "spec":{"containers":[CONTAINER,CONTAINER],"nodeName":"kip","restartPolicy":"Always","serviceAccountName":"default",
                  "volumes":[{"name":"kube-api-access","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}]}}],
                  "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},
                 "status":{"phase":"Running","podIP":"10.0.0.7","hostIP":"10.0.0.7","startTime":"2026-11-30T12:00:00Z",
                  "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-30T12:00:05Z"},
                   {"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-30T12:00:00Z"}],
                  "containerStatuses":[{"name":"c","ready":true,"restartCount":0,"image":"i","imageID":"i","containerID":"containerd://1",
                   "state":{"running":{"startedAt":"2026-11-30T12:00:04Z"}}}]}}""".replace("FIELD", field).replace("CONTAINER", container).replace("\n", "");
    }
}
