package dev.kip.controller;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ownership.HighWater;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.store.PodReader;
import dev.kip.crd.Cell;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.LaunchBatch;
import dev.kip.crd.ObjectMetadata;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.reflect.Reflector;
import dev.kip.kube.reflect.ReflectorHandler;
import dev.kip.kube.reflect.ReflectorSettings;
import dev.kip.loop.Loop;
import java.util.function.Consumer;
import java.util.function.Function;

/** The node's pods, the Cells and the journal, as the API server has them. Confined to the loop. */
final class ClusterView {

    private final Loop loop;
    private final KubeApi kube;
    private final Entropy entropy;
    private final HighWater highWater;
    private final Listener listener;
    private final Reflector<PodFacts> pods;
    private final Reflector<Cell> cells;
    private final Reflector<LaunchBatch> journal;
    private int listsMissing = 3;

    /** Hears what is seen. Called on the loop. */
    interface Listener {

        /** The cluster's storage was set back. */
        void setBack(String because);

        void pod(PodFacts pod);

        void podGone(PodFacts pod);

        void cell(Cell cell);

        void cellGone(Cell cell);

        /** A list in full that is not the first: what was deleted before any watch had shown it is missing from it. */
        void cellsListed(ImmutableList<Cell> all);

        void batch(LaunchBatch batch);

        void batchGone(LaunchBatch batch);

        /** Pods, Cells and journal are known, each whole: what is missing from one may be in another. Told once. */
        void complete();
    }

    ClusterView(Loop loop, KubeApi kube, Entropy entropy, String node, HighWater highWater, Listener listener) {
        this.loop = loop;
        this.kube = kube;
        this.entropy = entropy;
        this.highWater = highWater;
        this.listener = listener;
        this.pods = reflector(
                PodReader.PODS,
                pod -> new ObjectKey(pod.ref(), pod.uid(), pod.version()),
                ReflectorSettings.ALL.fields("spec.nodeName=" + node),
                listener::pod,
                listener::podGone,
                all -> {});
        this.cells = reflector(
                CrdKinds.CELLS,
                cell -> keyOf(cell.metadata()),
                ReflectorSettings.ALL,
                listener::cell,
                listener::cellGone,
                listener::cellsListed);
        this.journal = reflector(
                CrdKinds.LAUNCH_BATCHES,
                batch -> keyOf(batch.metadata()),
                ReflectorSettings.ALL,
                listener::batch,
                listener::batchGone,
                all -> {});
    }

    void start() {
        pods.start();
        cells.start();
        journal.start();
    }

    void stop() {
        pods.stop();
        cells.stop();
        journal.stop();
    }

    private <T> Reflector<T> reflector(
            ResourceKind<T> kind,
            Function<T, ObjectKey> keyOf,
            ReflectorSettings what,
            Consumer<T> seen,
            Consumer<T> gone,
            Consumer<ImmutableList<T>> listedAgain) {
        return new Reflector<>(kube, loop, entropy, kind, keyOf, what, new ReflectorHandler<T>() {
            private boolean listed;

            @Override
            public void listed(String version) {
                highWater.listed(kind.plural(), version).ifPresent(listener::setBack);
            }

            @Override
            public void upserted(T object) {
                highWater.seen(kind.plural(), keyOf.apply(object).resourceVersion());
                seen.accept(object);
            }

            @Override
            public void deleted(T last) {
                gone.accept(last);
            }

            @Override
            public void replaced(ImmutableList<T> all) {
                if (listed) {
                    listedAgain.accept(all);
                } else {
                    listed = true;
                    oneListMore();
                }
            }
        });
    }

    private static ObjectKey keyOf(ObjectMetadata metadata) {
        return new ObjectKey(ObjectRef.cluster(metadata.name()), metadata.uid(), metadata.resourceVersion());
    }

    private void oneListMore() {
        listsMissing--;
        if (listsMissing == 0) {
            listener.complete();
        }
    }
}
