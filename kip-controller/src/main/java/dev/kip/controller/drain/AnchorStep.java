package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Anchored;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ownership.AnchorKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Deletes the anchor's objects: the shard's, and with the last shard all of the installation and the pointers to it. A
 * pointer that leads to another installation is not ours.
 */
final class AnchorStep implements Step {

    private final Room room;

    AnchorStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "DeletingAnchor";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        if (room.anchors().isEmpty()) {
            verdict.done();
            return;
        }
        room.letAnchorGo().run();
        AnchorStore store = room.anchors().get();
        String id = scope.installationId();
        if (scope.last()) {
            list(
                    store,
                    AnchorKeys.INSTALLATIONS + id + "/",
                    "",
                    new ArrayList<>(),
                    verdict,
                    keys -> deleteAll(store, scope, keys, verdict));
        } else {
            deleteAll(store, scope, ImmutableList.of(AnchorKeys.shard(id, scope.node())), verdict);
        }
    }

    private void list(
            AnchorStore store,
            String prefix,
            String token,
            List<String> found,
            Verdict verdict,
            Consumer<ImmutableList<String>> then) {
        room.calls()
                .on(
                        "anchor",
                        "list",
                        store.list(prefix, token),
                        page -> {
                            found.addAll(page.keys());
                            if (page.nextToken().isEmpty()) {
                                then.accept(ImmutableList.copyOf(found));
                            } else {
                                list(store, prefix, page.nextToken(), found, verdict, then);
                            }
                        },
                        error -> verdict.waiting("the anchor could not be listed: " + error.message()));
    }

    /** Pointers first, the identity last: while it is there, the rest can be found again. */
    private void deleteAll(AnchorStore store, Scope scope, ImmutableList<String> keys, Verdict verdict) {
        String id = scope.installationId();
        String shards = AnchorKeys.shards(id);
        String identity = AnchorKeys.identity(id);
        String name = room.settings().installation();
        List<Gone> all = new ArrayList<>();
        all.add(pointer(AnchorKeys.byName(name, scope.node()), id));
        for (String key : keys) {
            if (key.startsWith(shards)) {
                all.add(pointer(AnchorKeys.byName(name, key.substring(shards.length())), id));
            }
        }
        if (scope.last()) {
            all.add(pointer(AnchorKeys.byCluster(scope.record().spec().clusterUID(), name), id));
        }
        keys.stream().filter(key -> !key.equals(identity)).forEach(key -> all.add(new Gone(key, any -> true)));
        keys.stream().filter(identity::equals).forEach(key -> all.add(new Gone(key, any -> true)));
        next(store, ImmutableList.copyOf(all), verdict);
    }

    /** @param ours whether its content shows that it is ours */
    private record Gone(String key, Predicate<String> ours) {}

    private static Gone pointer(String key, String id) {
        return new Gone(key, content -> content.contains(id));
    }

    private void next(AnchorStore store, ImmutableList<Gone> left, Verdict verdict) {
        if (left.isEmpty()) {
            verdict.done();
            return;
        }
        Gone first = left.get(0);
        room.calls()
                .on(
                        "anchor",
                        "read",
                        store.read(first.key()),
                        reading -> {
                            Optional<Anchored> object = reading.object()
                                    .filter(found -> first.ours().test(found.content()));
                            if (object.isEmpty()) {
                                next(store, left.subList(1, left.size()), verdict);
                            } else {
                                delete(store, left, object.get().version(), verdict);
                            }
                        },
                        error -> verdict.waiting("anchor " + first.key() + " could not be read: " + error.message()));
    }

    private void delete(AnchorStore store, ImmutableList<Gone> left, String version, Verdict verdict) {
        String key = left.get(0).key();
        if (room.cloudMandate().get().expired(room.loop().nanos())) {
            verdict.waiting("the lease is over");
            return;
        }
        room.calls()
                .on(
                        "anchor",
                        "delete",
                        store.delete(key, version),
                        done -> next(store, left.subList(1, left.size()), verdict),
                        error -> {
                            if (error instanceof CloudError.NotFound) {
                                next(store, left.subList(1, left.size()), verdict);
                            } else {
                                verdict.waiting("anchor " + key + " could not be deleted: " + error.message());
                            }
                        });
    }
}
