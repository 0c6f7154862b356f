package dev.kip.kube;

import dev.kip.outcome.Outcome;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/** Refuses every verb; a test's own API overrides those that it plays. */
public abstract class UnsupportedKubeApi implements KubeApi {

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
        throw new AssertionError("get " + kind.plural());
    }

    @Override
    public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
        throw new AssertionError("list " + kind.plural());
    }

    @Override
    public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
        throw new AssertionError("watch " + kind.plural());
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        throw new AssertionError("create " + kind.plural());
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        throw new AssertionError("replace " + kind.plural());
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> patch(
            ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
        throw new AssertionError("patch " + kind.plural());
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        throw new AssertionError("delete " + kind.plural());
    }

    @Override
    public CompletionStage<Outcome<JsonNode, KubeError>> post(
            ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body) {
        throw new AssertionError("post " + kind.plural());
    }
}
