package dev.kip.sim.planted;

import com.google.common.collect.ImmutableList;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationSpec.Shard;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.outcome.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Taking over leaves the epoch as it is: every incarnation has the first one's. */
final class EpochNotRaised extends ForwardingKube {

    EpochNotRaised(KubeApi real) {
        super(real);
    }

    @Override
    @SuppressWarnings("unchecked") // what was given was of this shape
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        return object instanceof Installation installation
                ? CompletableFuture.completedFuture(Outcome.ok((T)
                        new Installation(installation.metadata(), first(installation.spec()), installation.status())))
                : super.replace(kind, ref, object);
    }

    private static InstallationSpec first(InstallationSpec spec) {
        return new InstallationSpec(
                spec.installationID(),
                1,
                spec.clusterUID(),
                spec.account(),
                spec.region(),
                spec.vpc(),
                spec.anchor(),
                spec.draining(),
                spec.holder(),
                spec.shards().stream()
                        .map(shard -> new Shard(shard.node(), 1, shard.holder(), shard.nonce(), shard.reconciling()))
                        .collect(ImmutableList.toImmutableList()));
    }
}
