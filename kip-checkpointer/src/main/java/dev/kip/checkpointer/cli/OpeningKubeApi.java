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
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The way to the API server, which is opened when it is first needed, beside everything else: what is on disk must run
 * meanwhile, and also if there is no way at all. Confined to the loop.
 */
final class OpeningKubeApi implements KubeApi {

    private static final Logger LOG = LoggerFactory.getLogger(OpeningKubeApi.class);
    private static final Duration AGAIN = Duration.ofSeconds(30);

    private final Loop loop;
    private final Supplier<CompletionStage<Outcome<KubeApi, String>>> opener;
    private Optional<CompletionStage<Outcome<KubeApi, String>>> opening = Optional.empty();
    private String problem = "";

    /** @param opener opens it off the loop, or says why it cannot be; asked again after a while */
    OpeningKubeApi(Loop loop, Supplier<CompletionStage<Outcome<KubeApi, String>>> opener) {
        this.loop = loop;
        this.opener = opener;
    }

    private CompletionStage<Outcome<KubeApi, String>> opened() {
        if (opening.isPresent()) {
            return opening.get();
        }
        CompletionStage<Outcome<KubeApi, String>> begun = opener.get();
        opening = Optional.of(begun);
        begun.thenAccept(outcome -> outcome.error().ifPresent(this::failed));
        return begun;
    }

    private void failed(String reason) {
        if (!reason.equals(problem)) {
            LOG.error("{}; no checkpoint is made until this is mended", reason);
            problem = reason;
        }
        loop.after(AGAIN, () -> opening = Optional.empty());
    }

    private <T> CompletionStage<Outcome<T, KubeError>> with(
            Function<KubeApi, CompletionStage<Outcome<T, KubeError>>> call) {
        return opened().thenCompose(outcome -> outcome.fold(
                call, reason -> CompletableFuture.completedFuture(Outcome.failed(new KubeError.NoAnswer(reason)))));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
        return with(api -> api.get(kind, ref));
    }

    @Override
    public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
        return with(api -> api.list(kind, query));
    }

    /** @throws UnsupportedOperationException always: the checkpointer asks, it does not watch */
    @Override
    public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
        throw new UnsupportedOperationException("watch " + kind.plural());
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        return with(api -> api.create(kind, namespace, object));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        return with(api -> api.replace(kind, ref, object));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> patch(
            ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
        return with(api -> api.patch(kind, ref, subresource, type, patch));
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        return with(api -> api.delete(kind, ref, query));
    }

    @Override
    public CompletionStage<Outcome<JsonNode, KubeError>> post(
            ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body) {
        return with(api -> api.post(kind, ref, subresource, body));
    }
}
