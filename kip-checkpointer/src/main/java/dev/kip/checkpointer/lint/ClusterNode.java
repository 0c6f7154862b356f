package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.kube.Codecs;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.system.SystemLoop;
import dev.kip.outcome.Outcome;
import dev.kip.quantity.Quantities;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** A node of a cluster and its pods, as the API server has them: mirror pods are left out, they are static already. */
record ClusterNode(ObjectNode node, ImmutableList<PodDocument> pods) {

    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());

    /**
     * Asks the API server.
     *
     * @param kubeconfig the usual places if empty
     * @throws LintFailure saying what could not be had
     */
    static ClusterNode read(String name, Optional<Path> kubeconfig) {
        try (SystemLoop loop = SystemLoop.start("lint")) {
            Config config = KubeClients.config(kubeconfig.map(Path::toFile));
            try (HttpClient client = KubeClients.open(config)) {
                KubeApi api = new HttpKubeApi(client, KubeClients.base(config), loop, Runnable::run, TIMEOUT);
                ObjectNode node = ask(loop, api, kube -> kube.get(NODES, new ObjectRef("", name)));
                Page<ObjectNode> pods =
                        ask(loop, api, kube -> kube.list(PODS, ListQuery.ALL.fields("spec.nodeName=" + name)));
                return new ClusterNode(node, documents(config.getMasterUrl(), pods));
            }
        } catch (IllegalArgumentException e) {
            throw new LintFailure(String.valueOf(e.getMessage()));
        }
    }

    private static <T> T ask(
            SystemLoop loop, KubeApi api, Function<KubeApi, CompletionStage<Outcome<T, KubeError>>> call) {
        CompletableFuture<Outcome<T, KubeError>> answer = new CompletableFuture<>();
        loop.post(() -> call.apply(api).thenAccept(answer::complete));
        try {
            return answer.get(TIMEOUT.toSeconds() * 2, TimeUnit.SECONDS).fold(value -> value, error -> {
                throw new LintFailure(error.message());
            });
        } catch (TimeoutException e) {
            throw new LintFailure("the API server does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LintFailure("interrupted while the API server was asked");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the API server was asked", e.getCause());
        }
    }

    private static ImmutableList<PodDocument> documents(String server, Page<ObjectNode> page) {
        return page.items().stream()
                .filter(pod -> !pod.path("metadata").path("annotations").has(MIRROR))
                .map(ClusterNode::typed)
                .map(pod -> new PodDocument(server, pod, Optional.empty(), false))
                .collect(ImmutableList.toImmutableList());
    }

    private static ObjectNode typed(ObjectNode pod) {
        return pod.put("apiVersion", "v1").put("kind", "Pod"); // an item of a list has neither
    }

    /** The version that the node says it runs. */
    String kubelet() {
        return node.path("status").path("nodeInfo").path("kubeletVersion").asString("");
    }

    /** With the node's name, architecture and size; which labels are kubelet's own only {@code said} can tell. */
    NodeFacts facts(NodeFacts said) {
        Map<String, String> labels = new LinkedHashMap<>();
        node.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asString("")));
        Map<String, BigDecimal> allocatable = new LinkedHashMap<>();
        node.path("status")
                .path("allocatable")
                .properties()
                .forEach(resource -> allocatable.put(
                        resource.getKey(), Quantities.parse(resource.getValue().asString("0"))));
        return new NodeFacts(
                node.path("metadata").path("name").asString(""),
                node.path("status").path("nodeInfo").path("architecture").asString("amd64"),
                said.labels(),
                ImmutableMap.copyOf(labels),
                said.allocatable().isEmpty() ? ImmutableMap.copyOf(allocatable) : said.allocatable());
    }
}
