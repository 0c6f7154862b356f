package dev.kip.controller.kubelet;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.WatchListener;
import dev.kip.kube.WatchQuery;
import dev.kip.outcome.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Pods, and the reviews of an API server, by rule; everything is written down. */
final class ScriptedKube implements KubeApi {

    final Map<String, ObjectNode> pods = new LinkedHashMap<>();
    final List<String> reviews = new ArrayList<>();
    final List<String> lists = new ArrayList<>();
    Function<JsonNode, String> token = spec -> "{}";
    Function<JsonNode, Boolean> access = spec -> true;
    Optional<KubeError> refusal = Optional.empty();

    void pod(String namespace, String name, String uid, String node, String phase) {
        pods.put(namespace + "/" + name, tree("""
                        {"metadata": {"namespace": "%s", "name": "%s", "uid": "%s"},
                         "spec": {"nodeName": "%s", "containers": [{"name": "c"}], "initContainers": [{"name": "i"}]},
                         "status": {"phase": "%s"}}""".formatted(namespace, name, uid, node, phase)));
    }

    static ObjectNode tree(String json) {
        return (ObjectNode) JsonMapper.shared().readTree(json);
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
        Optional<ObjectNode> found = Optional.ofNullable(pods.get(ref.namespace() + "/" + ref.name()));
        return answer(found.map(pod -> refusal.<Outcome<T, KubeError>>map(Outcome::failed)
                        .orElseGet(() -> Outcome.ok(decoded(kind, pod))))
                .orElseGet(() -> Outcome.failed(new KubeError.NotFound("no such pod"))));
    }

    @Override
    public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
        lists.add(query.toString());
        return answer(refusal.<Outcome<Page<T>, KubeError>>map(Outcome::failed)
                .orElseGet(() -> Outcome.ok(new Page<>(
                        pods.values().stream().map(pod -> decoded(kind, pod)).collect(ImmutableList.toImmutableList()),
                        ImmutableList.of(),
                        "1",
                        ""))));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        ObjectNode review = (ObjectNode) object;
        JsonNode spec = review.path("spec");
        reviews.add(kind.kind() + " " + spec);
        ObjectNode answer = review.deepCopy();
        answer.set(
                "status",
                kind.kind().equals("TokenReview")
                        ? tree(token.apply(spec))
                        : tree("{\"allowed\": " + access.apply(spec) + "}"));
        return answer(
                refusal.<Outcome<T, KubeError>>map(Outcome::failed).orElseGet(() -> Outcome.ok(decoded(kind, answer))));
    }

    private static <T> T decoded(ResourceKind<T> kind, ObjectNode tree) {
        return kind.codec().decode(tree.deepCopy());
    }

    private static <T> CompletionStage<T> answer(T value) {
        return CompletableFuture.completedFuture(value);
    }

    @Override
    public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
        throw new AssertionError("not asked for");
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        throw new AssertionError("not asked for");
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> patch(
            ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
        throw new AssertionError("not asked for");
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        throw new AssertionError("not asked for");
    }

    @Override
    public CompletionStage<Outcome<JsonNode, KubeError>> post(
            ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body) {
        throw new AssertionError("not asked for");
    }
}
