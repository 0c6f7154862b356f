package dev.kip.bench.system;

import dev.kip.crd.CrdManifests;
import dev.kip.kube.Codecs;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.Loop;
import dev.kip.loop.system.SystemLoop;
import dev.kip.outcome.Outcome;
import dev.kip.sim.embedded.OnLoop;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.File;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The administrator's view of a real cluster. Not for use on its loop, but for what says so. */
final class Cluster implements AutoCloseable {

    static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> NAMESPACES = Kinds.NAMESPACES.as(Codecs.tree());
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final SystemLoop loop = SystemLoop.start("load");
    private final URI base;
    private final HttpClient client;
    private final KubeApi api;

    Cluster(File kubeconfig) {
        Config config = KubeClients.config(Optional.of(kubeconfig));
        base = KubeClients.base(config);
        client = KubeClients.open(config);
        api = new HttpKubeApi(client, base, loop, Runnable::run, TIMEOUT);
    }

    Loop loop() {
        return loop;
    }

    /** For use on the loop. */
    KubeApi api() {
        return api;
    }

    /** Runs it on the loop. */
    <T> T on(Supplier<T> made) {
        return OnLoop.run(loop, made);
    }

    /** Kip's definitions and namespace, if they are not there. */
    void prepareForKip() {
        CrdManifests.all().forEach(definition -> create(Kinds.CUSTOM_RESOURCE_DEFINITIONS, definition));
        create(
                NAMESPACES,
                node("{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"kip\"}}"));
    }

    /** A node that nobody runs, for whoever plays nodes that carry the annotation. */
    void createNode(String name, String annotation) {
        create(NODES, node("""
                {"apiVersion": "v1", "kind": "Node",
                 "metadata": {"name": "%s", "annotations": {"%s": "fake"}, "labels": {"type": "kwok"}},
                 "spec": {},
                 "status": {"capacity": {"cpu": "100000", "memory": "400Ti", "pods": "100000"},
                   "allocatable": {"cpu": "100000", "memory": "400Ti", "pods": "100000"}}}
                """.formatted(name, annotation)));
    }

    void deleteNode(String name) {
        Outcome<KubeApi.Deleted, KubeError> answer =
                ask(() -> api.delete(NODES, ObjectRef.cluster(name), DeleteQuery.PLAIN));
        answer.fold(deleted -> true, error -> true); // it may be gone
    }

    boolean isReady(String nodeName) {
        return ask(() -> api.get(NODES, ObjectRef.cluster(nodeName)))
                .fold(node -> isTrue(node, "Ready"), error -> false);
    }

    /** Whether a condition of the object holds. */
    static boolean isTrue(ObjectNode object, String type) {
        for (var condition : object.path("status").path("conditions")) {
            if (condition.path("type").asString("").equals(type)) {
                return condition.path("status").asString("").equals("True");
            }
        }
        return false;
    }

    /** What the server tells Prometheus. */
    String metrics() {
        try {
            return client.sendAsync(
                            client.newHttpRequestBuilder()
                                    .uri(base.resolve("/metrics"))
                                    .build(),
                            String.class)
                    .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    .body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the API server does not tell its metrics at " + base, e);
        }
    }

    private void create(ResourceKind<ObjectNode> kind, ObjectNode object) {
        Outcome<ObjectNode, KubeError> answer = ask(() -> api.create(kind, "", object));
        answer.fold(made -> true, error -> {
            if (error instanceof KubeError.AlreadyExists) {
                return true;
            }
            throw new IllegalStateException(kind.plural() + " cannot be created: " + error.message());
        });
    }

    private <T> Outcome<T, KubeError> ask(Supplier<CompletionStage<Outcome<T, KubeError>>> call) {
        CompletableFuture<Outcome<T, KubeError>> answer = new CompletableFuture<>();
        loop.post(() -> call.get().thenAccept(answer::complete));
        try {
            return answer.get(TIMEOUT.toSeconds() * 2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the API server was asked", e);
        }
    }

    static ObjectNode node(String json) {
        return (ObjectNode) JSON.readTree(json);
    }

    @Override
    public void close() {
        client.close();
        loop.close();
    }
}
