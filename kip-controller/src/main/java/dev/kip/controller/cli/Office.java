package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Written;
import dev.kip.cloud.CloudError;
import dev.kip.controller.Controller;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.cli.Owner.AnchoredShard;
import dev.kip.controller.gc.Evidence.Incumbency;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.ownership.ShardAnchor;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.elect.LeaderElector;
import dev.kip.kube.elect.Leadership;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Acts in the place of the installation's controllers for a while: holds their Leases, and their shards of the anchor, so
 * that none of them begins meanwhile. Given back when closed. Not for use on the loop, but where it is said.
 */
final class Office implements AutoCloseable {

    private static final Duration ANCHORED = Duration.ofMinutes(1);

    private final Session session;
    private final Owner owner;
    private final ControllerSettings settings;
    private final Map<String, LeaderElector> electors = new LinkedHashMap<>();
    private final List<Claimed> claimed = new ArrayList<>();

    private record Claimed(AnchoredShard before, ShardAnchor now, String version) {}

    private Office(Session session, Owner owner) {
        this.session = session;
        this.owner = owner;
        this.settings = session.config().controller();
    }

    /** @throws CliFailure if somebody else has it */
    static Office take(Session session, Owner owner, ImmutableList<String> nodes) {
        Office office = new Office(session, owner);
        try {
            if (owner.record().isPresent()) {
                nodes.forEach(office::takeLease);
            }
            session.ways()
                    .anchors()
                    .ifPresent(store -> owner.shards().forEach(shard -> office.takeAnchor(store, shard)));
            return office;
        } catch (RuntimeException e) {
            office.close();
            throw e;
        }
    }

    private void takeLease(String node) {
        CompletableFuture<Boolean> acquired = new CompletableFuture<>();
        LeaderElector elector = session.ask("an election", () -> {
            LeaderElector made = new LeaderElector(
                    session.kube(),
                    session.ways().loop(),
                    session.ways().entropy(),
                    Controller.election(settings, node),
                    "kip-gc",
                    new Leadership() {
                        @Override
                        public void acquired() {
                            acquired.complete(true);
                        }

                        @Override
                        public void lost(String why) {
                            // Every use looks at leadUntil.
                        }
                    });
            made.start();
            return CompletableFuture.completedFuture(made);
        });
        electors.put(node, elector);
        session.ask("the Lease of node " + node, () -> acquired);
    }

    private void takeAnchor(AnchorStore store, AnchoredShard before) {
        ShardAnchor shard = before.shard();
        ShardAnchor mine = new ShardAnchor(
                shard.epoch() + 1,
                ShardAnchor.State.CLAIMED,
                shard.confirmed(),
                BaseEncoding.base16()
                        .lowerCase()
                        .encode(session.ways().entropy().bytes(8)),
                shard.clusterUid(),
                "kip gc, " + settings.identity(),
                before.serverTime(),
                shard.mark());
        Outcome<Written, CloudError> answer = session.ask(
                "the anchor", () -> store.write(before.key(), mine.toJson(), Optional.of(before.version())));
        Written written = answer.value()
                .orElseThrow(() -> new CliFailure(
                        CliFailure.FAILED,
                        "the anchor of node " + before.node() + " cannot be taken: "
                                + answer.error().map(CloudError::message).orElse("")
                                + ". Somebody may act for this installation after all; look again with kip gc."));
        claimed.add(new Claimed(before, mine, written.version()));
    }

    /** On the loop: the right to mutate, as long as every Lease lasts. */
    Mandate mandate() {
        Loop loop = session.ways().loop();
        long until = electors.values().stream()
                .mapToLong(elector -> elector.leadUntil().orElse(loop.nanos() - 1)
                        - settings.timing().cloudTimeout().toNanos())
                .min()
                .orElse(loop.nanos() + ANCHORED.toNanos());
        return new Mandate(owner.standing().epoch(), until);
    }

    /** On the loop: whether we still act for this virtual node; looked at anew. */
    void read(String node, Consumer<Incumbency> then) {
        Optional<Claimed> mine =
                claimed.stream().filter(one -> one.before().node().equals(node)).findFirst();
        if (mine.isPresent()) {
            AnchorStore store = session.ways().anchors().orElseThrow();
            store.read(mine.get().before().key()).thenAccept(outcome -> {
                boolean ours = outcome.value()
                        .flatMap(reading -> reading.object())
                        .filter(object -> object.version().equals(mine.get().version()))
                        .isPresent();
                if (ours) {
                    readRecord(node, then);
                } else {
                    then.accept(incumbency(outcome.value().isPresent(), Optional.empty(), 0));
                }
            });
        } else {
            readRecord(node, then);
        }
    }

    private void readRecord(String node, Consumer<Incumbency> then) {
        if (owner.record().isEmpty()) {
            long epoch = owner.standing().epoch();
            then.accept(incumbency(true, Optional.of(epoch), epoch));
            return;
        }
        long before = epochOf(owner.record().get(), node);
        session.kube()
                .get(CrdKinds.INSTALLATIONS, ObjectRef.cluster(settings.installation()))
                .thenAccept(outcome -> then.accept(incumbency(
                        outcome.value().isPresent(),
                        outcome.value()
                                .filter(found -> found.spec()
                                        .installationID()
                                        .equals(owner.standing().installationId()))
                                .map(found -> epochOf(found, node)),
                        before)));
    }

    private static long epochOf(Installation record, String node) {
        return record.spec()
                .shard(node)
                .map(InstallationSpec.Shard::epoch)
                .orElse(record.spec().epoch());
    }

    private Incumbency incumbency(boolean read, Optional<Long> recorded, long epoch) {
        return new Incumbency(
                read,
                epoch,
                recorded,
                Duration.ofNanos(mandate().notAfter() - session.ways().loop().nanos()));
    }

    /** What was gained is given back: another may begin at once. */
    @Override
    public void close() {
        for (Claimed one : claimed) {
            ShardAnchor now = one.now();
            ShardAnchor released = new ShardAnchor(
                    now.epoch(),
                    ShardAnchor.State.RELEASED,
                    now.confirmed(),
                    now.nonce(),
                    now.clusterUid(),
                    now.holder(),
                    now.renewedAt(),
                    now.mark());
            session.ways()
                    .anchors()
                    .ifPresent(store -> session.ask(
                            "the anchor",
                            () -> store.write(one.before().key(), released.toJson(), Optional.of(one.version()))));
        }
        for (LeaderElector elector : electors.values()) {
            session.ask("the Lease", elector::stop);
        }
    }
}
