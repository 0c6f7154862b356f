package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.ObjectMetadata;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Deletes what Cells and LaunchBatches are left: their instances are gone. */
final class ObjectsStep implements Step {

    private static final int PAGE = 500;

    private final Room room;

    ObjectsStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "DeletingObjects";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        list(
                CrdKinds.CELLS,
                cell -> scope.covers(cell.status().controllerID(), cell.status().node())
                        ? Optional.of(cell.metadata())
                        : Optional.empty(),
                verdict,
                () -> list(
                        CrdKinds.LAUNCH_BATCHES,
                        batch -> scope.covers(
                                        batch.spec().installationID(),
                                        batch.spec().node())
                                ? Optional.of(batch.metadata())
                                : Optional.empty(),
                        verdict,
                        verdict::done));
    }

    private <T> void list(
            ResourceKind<T> kind, Function<T, Optional<ObjectMetadata>> ours, Verdict verdict, Runnable none) {
        pages(kind, "", ours, new ArrayList<>(), verdict, all -> {
            if (all.isEmpty()) {
                none.run();
            } else {
                all.forEach(object -> delete(kind, object));
                verdict.waiting(all.size() + " " + kind.plural() + " are being deleted");
            }
        });
    }

    private <T> void pages(
            ResourceKind<T> kind,
            String token,
            Function<T, Optional<ObjectMetadata>> ours,
            List<ObjectMetadata> found,
            Verdict verdict,
            Consumer<ImmutableList<ObjectMetadata>> then) {
        room.calls()
                .on(
                        "kube",
                        "list " + kind.plural(),
                        room.kube().list(kind, ListQuery.ALL.limit(PAGE).continuing(token)),
                        page -> {
                            page.items().forEach(item -> ours.apply(item).ifPresent(found::add));
                            if (page.continueToken().isEmpty()) {
                                then.accept(ImmutableList.copyOf(found));
                            } else {
                                pages(kind, page.continueToken(), ours, found, verdict, then);
                            }
                        },
                        error -> verdict.waiting(kind.plural() + " could not be listed: " + error.message()));
    }

    private void delete(ResourceKind<?> kind, ObjectMetadata object) {
        if (room.mayWrite()) {
            room.calls()
                    .on(
                            "kube",
                            "delete " + kind.plural(),
                            room.kube().delete(kind, ObjectRef.cluster(object.name()), DeleteQuery.of(object.uid())),
                            done -> {},
                            error -> {});
        }
    }
}
