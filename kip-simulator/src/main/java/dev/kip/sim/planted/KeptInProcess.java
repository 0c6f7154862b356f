package dev.kip.sim.planted;

import dev.kip.kube.DeleteQuery;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.outcome.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The original's defect: identity and keys live in the process, as they lived in the etcd beside it, and go with it. */
final class KeptInProcess extends ForwardingKube {

    private final Map<String, Object> kept = new LinkedHashMap<>();

    KeptInProcess(KubeApi real) {
        super(real);
    }

    private static boolean concerns(ResourceKind<?> kind) {
        return kind.plural().equals("installations") || kind.plural().equals("secrets");
    }

    @Override
    @SuppressWarnings("unchecked") // one kind is only ever read in the shape in which it was written
    public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
        if (!concerns(kind)) {
            return super.get(kind, ref);
        }
        @Nullable Object found = kept.get(kind.plural() + ref);
        return CompletableFuture.completedFuture(
                found == null
                        ? Outcome.failed(new KubeError.NotFound(kind.plural() + " " + ref + " not found"))
                        : Outcome.ok((T) found));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        return concerns(kind)
                ? keep(kind, new ObjectRef(namespace, Names.of(object)), object)
                : super.create(kind, namespace, object);
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        return concerns(kind) ? keep(kind, ref, object) : super.replace(kind, ref, object);
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        if (!concerns(kind)) {
            return super.delete(kind, ref, query);
        }
        kept.remove(kind.plural() + ref);
        return CompletableFuture.completedFuture(Outcome.ok(new Deleted()));
    }

    private <T> CompletionStage<Outcome<T, KubeError>> keep(ResourceKind<T> kind, ObjectRef ref, T object) {
        kept.put(kind.plural() + ref, object);
        return CompletableFuture.completedFuture(Outcome.ok(object));
    }
}
