package dev.kip.controller.telemetry;

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
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Passes everything on, and notes whether the API server answers: says so in the log when that changes, and again every
 * half minute while it does not. Confined to the loop.
 */
public final class ReachableKubeApi implements KubeApi {

    private static final Logger LOG = LoggerFactory.getLogger(ReachableKubeApi.class);
    private static final Duration REMIND = Duration.ofSeconds(30);

    private final KubeApi api;
    private final String server;
    private final Loop loop;
    private final Consumer<Boolean> reachable;
    private Optional<Boolean> last = Optional.empty();
    private long saidAt;

    /** @param server where it is, for the log */
    public ReachableKubeApi(KubeApi api, String server, Loop loop, Consumer<Boolean> reachable) {
        this.api = api;
        this.server = server;
        this.loop = loop;
        this.reachable = reachable;
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
        return noting(api.get(kind, ref));
    }

    @Override
    public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
        return noting(api.list(kind, query));
    }

    @Override
    public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
        return api.watch(kind, query, listener);
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        return noting(api.create(kind, namespace, object));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        return noting(api.replace(kind, ref, object));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> patch(
            ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
        return noting(api.patch(kind, ref, subresource, type, patch));
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        return noting(api.delete(kind, ref, query));
    }

    @Override
    public CompletionStage<Outcome<JsonNode, KubeError>> post(
            ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body) {
        return noting(api.post(kind, ref, subresource, body));
    }

    private <T> CompletionStage<Outcome<T, KubeError>> noting(CompletionStage<Outcome<T, KubeError>> stage) {
        stage.thenAccept(outcome -> outcome.on(ok -> answered(), this::failed));
        return stage;
    }

    private void answered() {
        if (last.isEmpty() || !last.get()) {
            LOG.info("the API server {} answers", server);
            note(true);
        }
    }

    private void failed(KubeError error) {
        if (error instanceof KubeError.NoAnswer || error instanceof KubeError.Garbled) {
            complain("does not answer; trying again and again. Is it up, and is the address right?", error);
        } else if (error instanceof KubeError.Unauthorized) {
            complain("refuses our credentials; trying again and again. Check the kubeconfig or service account", error);
        } else {
            answered();
        }
    }

    private void complain(String what, KubeError error) {
        boolean news = last.isEmpty() || last.get();
        if (news || loop.nanos() - saidAt >= REMIND.toNanos()) {
            LOG.warn("the API server {} {} ({})", server, what, error.message());
            saidAt = loop.nanos();
        }
        if (news) {
            note(false);
        }
    }

    private void note(boolean answers) {
        last = Optional.of(answers);
        reachable.accept(answers);
    }
}
