package dev.kip.controller.drain;

import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.ObjectMetadata;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;

/**
 * The end. A shard that is not the last takes itself out of the record. With the last, the record is marked as being
 * deleted, the keys go, and then the record: whoever finds it marked, with or without keys, has this to finish.
 */
final class RecordStep implements Step {

    private final Room room;
    private boolean begun;

    RecordStep(Room room) {
        this.room = room;
    }

    /** Whether our part of the record goes by our own hand. */
    boolean begun() {
        return begun;
    }

    @Override
    public String name() {
        return "DeletingRecord";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        room.record().stop();
        begun = true;
        Installation record = scope.record();
        if (!scope.last()) {
            replace(
                    new Installation(record.metadata(), record.spec().without(scope.node()), record.status()),
                    verdict::done,
                    verdict);
        } else if (record.metadata().deleting()) {
            deleteKeys(record, verdict);
        } else if (record.metadata().finalizers().contains(Installation.FINALIZER)) {
            delete(record, verdict);
        } else {
            ObjectMetadata held = record.metadata().withFinalizer(Installation.FINALIZER);
            replace(
                    new Installation(held, record.spec(), record.status()),
                    () -> verdict.waiting("the Installation is held until the keys are gone"),
                    verdict);
        }
    }

    private void delete(Installation record, Verdict verdict) {
        if (!room.mayWrite()) {
            verdict.waiting("the lease is over");
            return;
        }
        room.calls()
                .on(
                        "kube",
                        "delete installations",
                        room.kube()
                                .delete(
                                        CrdKinds.INSTALLATIONS,
                                        ref(),
                                        DeleteQuery.of(record.metadata().uid())),
                        done -> verdict.waiting("the Installation is marked as being deleted"),
                        error -> {
                            if (error instanceof KubeError.NotFound) {
                                deleteKeys(record, verdict);
                            } else {
                                verdict.waiting("the Installation could not be deleted: " + error.message());
                            }
                        });
    }

    private void deleteKeys(Installation record, Verdict verdict) {
        if (!room.mayWrite()) {
            verdict.waiting("the lease is over");
            return;
        }
        Installation released = new Installation(
                record.metadata().withoutFinalizer(Installation.FINALIZER), record.spec(), record.status());
        room.calls()
                .on(
                        "kube",
                        "delete secrets",
                        room.kube().delete(Kinds.SECRETS, room.settings().keysSecret(), DeleteQuery.PLAIN),
                        done -> replace(released, verdict::done, verdict),
                        error -> {
                            if (error instanceof KubeError.NotFound) {
                                replace(released, verdict::done, verdict);
                            } else {
                                verdict.waiting("the Secret with the keys could not be deleted: " + error.message());
                            }
                        });
    }

    private void replace(Installation next, Runnable done, Verdict verdict) {
        if (!room.mayWrite()) {
            verdict.waiting("the lease is over");
            return;
        }
        room.calls()
                .on(
                        "kube",
                        "replace installations",
                        room.kube().replace(CrdKinds.INSTALLATIONS, ref(), next),
                        written -> done.run(),
                        error -> {
                            if (error instanceof KubeError.NotFound) {
                                done.run();
                            } else {
                                verdict.waiting("the Installation could not be written: " + error.message());
                            }
                        });
    }

    private ObjectRef ref() {
        return ObjectRef.cluster(room.settings().installation());
    }
}
