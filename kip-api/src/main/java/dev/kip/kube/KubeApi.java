package dev.kip.kube;

import dev.kip.outcome.Outcome;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/**
 * The Kubernetes API. Every method sends one request and returns at once; its stage completes on the process's loop, never
 * exceptionally, with what the server answered. Bodies are decoded off the loop. Nothing here retries: a failed request is
 * decided again. Called on the loop.
 */
public interface KubeApi {

    <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref);

    /** One page. The caller asks for the next with {@link Page#continueToken}. */
    <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query);

    /** Opens a watch. {@code listener} is called on the loop, in order, and exactly once with its end. */
    <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener);

    /** @param namespace the object's namespace; empty for cluster-scoped kinds */
    <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object);

    /** Replaces the object; its {@code metadata.resourceVersion}, if set, must still be current. */
    <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object);

    /** @param subresource for example {@code status}; empty for the object itself */
    <T> CompletionStage<Outcome<T, KubeError>> patch(
            ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch);

    /** Deletes. A graceful deletion answers when it has begun, not when the object is gone. */
    CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query);

    /** POST to a subresource, such as {@code token} or {@code binding}; the answer as it came. */
    CompletionStage<Outcome<JsonNode, KubeError>> post(
            ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body);

    /** The delete was accepted. */
    record Deleted() {}

    /** An open watch. */
    interface Watch {

        /** Ends it; the listener is not called any more. Called on the loop. */
        void close();
    }
}
