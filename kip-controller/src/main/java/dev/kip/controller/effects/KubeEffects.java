package dev.kip.controller.effects;

import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.Errand;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.launch.Batch;
import dev.kip.controller.launch.BatchIntent;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.podstatus.StatusPatch;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.store.PodReader;
import dev.kip.crd.Cell;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.ObjectMetadata;
import dev.kip.kube.Codecs;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes to the API server. Retries nothing; turns every answer into a fact. Confined to the loop. */
public final class KubeEffects {

    private static final Logger LOG = LoggerFactory.getLogger(KubeEffects.class);

    private static final ResourceKind<ObjectNode> PODS_WHOLE = Kinds.PODS.as(Codecs.tree());

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;

    public KubeEffects(Loop loop, KubeApi kube, Calls calls) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
    }

    /** At most once by the name's uniqueness: if it is taken, whoever is there has the pod. */
    public void bind(Intent.BindCell intent, Mandate mandate, Consumer<CellFact> fact) {
        if (mandate.expired(loop.nanos())) {
            fact.accept(new CellFact.Expired(Errand.BIND));
            return;
        }
        Cell cell = new Cell(ObjectMetadata.named(intent.name()), intent.cell());
        calls.on(
                "kube",
                "create cells",
                kube.create(CrdKinds.CELLS, "", cell),
                made -> fact.accept(new CellFact.CellSeen(made)),
                error -> {
                    if (error instanceof KubeError.AlreadyExists) {
                        read(intent.name(), fact);
                    } else {
                        undone(Errand.BIND, error, fact);
                    }
                });
    }

    private void read(String name, Consumer<CellFact> fact) {
        calls.on(
                "kube",
                "get cells",
                kube.get(CrdKinds.CELLS, ObjectRef.cluster(name)),
                found -> fact.accept(new CellFact.CellSeen(found)),
                error -> undone(Errand.BIND, error, fact));
    }

    /** Whether a Cell is there that a list did not show. What cannot be told now is left to the next list. */
    public void confirmCell(String name, Consumer<Cell> there, Runnable gone) {
        calls.on("kube", "get cells", kube.get(CrdKinds.CELLS, ObjectRef.cluster(name)), there, error -> {
            if (error instanceof KubeError.NotFound) {
                gone.run();
            }
        });
    }

    public void removeCell(Intent.RemoveCell intent, Mandate mandate, Consumer<CellFact> fact) {
        if (mandate.expired(loop.nanos())) {
            fact.accept(new CellFact.Expired(Errand.REMOVE_CELL));
            return;
        }
        CellFact gone = new CellFact.CellGone(intent.name(), intent.uid());
        calls.on(
                "kube",
                "delete cells",
                kube.delete(CrdKinds.CELLS, ObjectRef.cluster(intent.name()), DeleteQuery.of(intent.uid())),
                deleted -> fact.accept(gone),
                error -> {
                    if (isGone(error)) {
                        fact.accept(gone);
                    } else {
                        undone(Errand.REMOVE_CELL, error, fact);
                    }
                });
    }

    public void patchStatus(Intent.PatchPodStatus intent, Mandate mandate, Consumer<CellFact> fact) {
        patch(
                Errand.STATUS,
                intent.pod(),
                intent.patch(),
                mandate,
                fact,
                pod -> fact.accept(new CellFact.StatusWritten(intent.digest(), pod)));
    }

    public void fail(Intent.FailPod intent, Mandate mandate, Consumer<CellFact> fact) {
        calls.on(
                "kube",
                "get pods",
                kube.get(PODS_WHOLE, intent.pod().ref()),
                whole -> patch(
                        Errand.STATUS,
                        intent.pod(),
                        StatusPatch.lost(intent.pod(), intent.problem(), loop.now(), whole.path("status")),
                        mandate,
                        fact,
                        pod -> fact.accept(new CellFact.StatusWritten(pod.statusDigest(), pod))),
                error -> undone(Errand.STATUS, error, fact));
    }

    public void explain(Intent.Explain intent, Mandate mandate, Consumer<CellFact> fact) {
        ObjectNode patch = StatusPatch.explained(intent.pod(), intent.problem(), loop.now());
        patch(Errand.EXPLAIN, intent.pod(), patch, mandate, fact, pod -> {
            fact.accept(new CellFact.Done(Errand.EXPLAIN));
            fact.accept(new CellFact.PodSeen(pod));
        });
    }

    private void patch(
            Errand errand,
            PodFacts pod,
            ObjectNode patch,
            Mandate mandate,
            Consumer<CellFact> fact,
            Consumer<PodFacts> done) {
        if (mandate.expired(loop.nanos())) {
            fact.accept(new CellFact.Expired(errand));
            return;
        }
        calls.on(
                "kube",
                "patch pods/status",
                kube.patch(PodReader.PODS, pod.ref(), "status", PatchType.MERGE, patch),
                done,
                error -> {
                    // Gone, or a namesake: the watch tells.
                    undone(errand, error, fact);
                });
    }

    /**
     * Looks for a pod that no list and no watch has shown: a read of its own, past every cache.
     *
     * @param absent there is no such pod, or another one of its name
     */
    public void confirmAbsent(ObjectRef pod, String uid, Runnable absent, Consumer<CellFact> fact) {
        calls.on(
                "kube",
                "get pods",
                kube.get(PodReader.PODS, pod),
                found -> {
                    if (found.uid().equals(uid)) {
                        LOG.warn("pod {} is there, though the list of pods did not show it: its cell stays", pod);
                        fact.accept(CellFact.Undone.certainly(Errand.TERMINATE));
                        fact.accept(new CellFact.PodSeen(found));
                    } else {
                        absent.run();
                    }
                },
                error -> {
                    if (error instanceof KubeError.NotFound) {
                        absent.run();
                    } else {
                        undone(Errand.TERMINATE, error, fact);
                    }
                });
    }

    public void removePod(Intent.RemovePod intent, Mandate mandate, Consumer<CellFact> fact) {
        if (mandate.expired(loop.nanos())) {
            fact.accept(new CellFact.Expired(Errand.REMOVE_POD));
            return;
        }
        calls.on(
                "kube",
                "delete pods",
                kube.delete(
                        PodReader.PODS,
                        intent.pod(),
                        DeleteQuery.of(intent.uid()).now()),
                deleted -> fact.accept(new CellFact.PodRemoved()),
                error -> {
                    if (isGone(error)) {
                        fact.accept(new CellFact.PodRemoved());
                    } else {
                        undone(Errand.REMOVE_POD, error, fact);
                    }
                });
    }

    public void writeJournal(BatchIntent.WriteJournal intent, Batch batch, Mandate mandate, Runnable then) {
        if (mandate.expired(loop.nanos())) {
            batch.undone(loop.nanos());
            then.run();
            return;
        }
        calls.on(
                "kube",
                "create launchbatches",
                kube.create(CrdKinds.LAUNCH_BATCHES, "", intent.record()),
                written -> {
                    batch.journaled(written);
                    then.run();
                },
                error -> {
                    if (error instanceof KubeError.AlreadyExists) {
                        batch.journaled(
                                intent.record()); // its name is a nonce of ours: the answer to an earlier try was lost
                    } else {
                        warn("create LaunchBatch " + batch.name(), error);
                        batch.undone(loop.nanos());
                    }
                    then.run();
                });
    }

    public void eraseJournal(BatchIntent.EraseJournal intent, Batch batch, Mandate mandate, Runnable then) {
        if (mandate.expired(loop.nanos())) {
            batch.undone(loop.nanos());
            then.run();
            return;
        }
        DeleteQuery query = intent.uid().isEmpty() ? DeleteQuery.PLAIN : DeleteQuery.of(intent.uid());
        calls.on(
                "kube",
                "delete launchbatches",
                kube.delete(CrdKinds.LAUNCH_BATCHES, ObjectRef.cluster(intent.batch()), query),
                deleted -> {
                    batch.erased();
                    then.run();
                },
                error -> {
                    if (isGone(error)) {
                        batch.erased();
                    } else {
                        warn("delete LaunchBatch " + batch.name(), error);
                        batch.undone(loop.nanos());
                    }
                    then.run();
                });
    }

    private void undone(Errand errand, KubeError error, Consumer<CellFact> fact) {
        if (error instanceof KubeError.NotFound || error instanceof KubeError.Conflict) {
            LOG.debug("{}: {}", errand, error.message());
        } else {
            warn(errand.toString(), error);
        }
        boolean unknown = error instanceof KubeError.NoAnswer || error instanceof KubeError.Garbled;
        fact.accept(unknown ? CellFact.Undone.of(errand) : CellFact.Undone.certainly(errand));
    }

    private static void warn(String what, KubeError error) {
        LOG.warn("{}: {}", what, error.message());
    }

    /** No object of that name, or another one with it. */
    private static boolean isGone(KubeError error) {
        return error instanceof KubeError.NotFound || error instanceof KubeError.Conflict;
    }
}
