package dev.kip.checkpointer.cli;

import dev.kip.checkpointer.cli.ApiWay.Open;
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
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * The way to the API server, which is opened when it is first needed, beside everything else: what is on disk must run
 * meanwhile, and also if there is no way at all. It is opened anew when it fails and its files are others by then. Confined
 * to the loop.
 */
final class OpeningKubeApi implements KubeApi {

    private static final Logger LOG = LoggerFactory.getLogger(OpeningKubeApi.class);
    private static final Duration AGAIN = Duration.ofSeconds(30);

    private final Loop loop;
    private final ApiWay way;
    private final Duration again;
    private Optional<CompletionStage<Outcome<Open, String>>> opening = Optional.empty();
    private OptionalLong looked = OptionalLong.empty();
    private String problem = "";

    OpeningKubeApi(Loop loop, ApiWay way) {
        this(loop, way, AGAIN);
    }

    /** @param again how long to wait before a way that failed is tried anew, or its files are looked at */
    OpeningKubeApi(Loop loop, ApiWay way, Duration again) {
        this.loop = loop;
        this.way = way;
        this.again = again;
    }

    private CompletionStage<Outcome<Open, String>> opened() {
        if (opening.isPresent()) {
            return opening.get();
        }
        CompletionStage<Outcome<Open, String>> begun = way.open();
        opening = Optional.of(begun);
        begun.thenAccept(outcome -> outcome.error().ifPresent(this::failed));
        return begun;
    }

    private void failed(String reason) {
        if (!reason.equals(problem)) {
            LOG.error("{}; no checkpoint is made until this is mended", reason);
            problem = reason;
        }
        loop.after(again, () -> opening = Optional.empty());
    }

    private <T> CompletionStage<Outcome<T, KubeError>> with(
            Function<KubeApi, CompletionStage<Outcome<T, KubeError>>> call) {
        return opened().thenCompose(outcome -> outcome.fold(
                open -> call.apply(open.api()).thenApply(answer -> {
                    answer.error().ifPresent(error -> doubt(open, error));
                    return answer;
                }),
                reason -> CompletableFuture.completedFuture(Outcome.failed(new KubeError.NoAnswer(reason)))));
    }

    /** Who is refused, or cannot even talk, may have been given other certificates meanwhile. */
    private void doubt(Open open, KubeError error) {
        boolean suspicious = error instanceof KubeError.Unauthorized || error instanceof KubeError.NoAnswer;
        boolean due = looked.isEmpty() || loop.nanos() - looked.getAsLong() >= again.toNanos();
        if (!suspicious || !due) {
            return;
        }
        looked = OptionalLong.of(loop.nanos());
        way.hasChanged(open)
                .thenAccept(changed -> loop.post(() -> {
                    if (changed) {
                        LOG.info(
                                "the certificates or the kubeconfig have changed: the way to the API server is opened anew");
                        opening = Optional.empty();
                        way.close(open);
                    }
                }));
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
