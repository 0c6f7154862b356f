package dev.kip.sim.planted;

import dev.kip.kube.DeleteQuery;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.outcome.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** LaunchBatches are taken for written, and are not. */
final class NoWriteAhead extends ForwardingKube {

    NoWriteAhead(KubeApi real) {
        super(real);
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        return kind.plural().equals("launchbatches")
                ? CompletableFuture.completedFuture(Outcome.ok(object))
                : super.create(kind, namespace, object);
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        return kind.plural().equals("launchbatches")
                ? CompletableFuture.completedFuture(Outcome.ok(new Deleted()))
                : super.delete(kind, ref, query);
    }
}
