package dev.kip.checkpointer.cli;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/** An API server that nobody told us how to reach: it never answers, and says why. */
record NoKubeApi(String reason) implements KubeApi {

    private <T> CompletionStage<Outcome<T, KubeError>> none() {
        return CompletableFuture.completedFuture(Outcome.failed(new KubeError.NoAnswer(reason)));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
        return none();
    }

    @Override
    public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
        return none();
    }

    /** @throws UnsupportedOperationException always: the checkpointer asks, it does not watch */
    @Override
    public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
        throw new UnsupportedOperationException(reason);
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        return none();
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        return none();
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> patch(
            ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
        return none();
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        return none();
    }

    @Override
    public CompletionStage<Outcome<JsonNode, KubeError>> post(
            ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body) {
        return none();
    }
}
