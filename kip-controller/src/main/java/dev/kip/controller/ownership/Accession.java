package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.ownership.Findings.Anchor;
import dev.kip.controller.ownership.Findings.KeysSecret;
import dev.kip.controller.ownership.Findings.Seen;
import dev.kip.controller.ownership.Findings.Via;
import dev.kip.controller.ownership.FindingsReader.Gathered;
import dev.kip.controller.ownership.ShardAnchor.State;
import dev.kip.controller.ownership.Takeover.Held;
import dev.kip.controller.ownership.Takeover.Taken;
import dev.kip.controller.ownership.Verdict.Begin;
import dev.kip.controller.store.Versions;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationStatus;
import dev.kip.crd.InstallationStatus.Condition;
import dev.kip.crd.ObjectMetadata;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ObjectRef;
import dev.kip.loop.Loop;
import dev.kip.loop.Stamp;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of one takeover, in the order that leaves nothing ambiguous wherever it is cut off. Whatever fails is left to
 * the takeover, which reads everything anew. Confined to the loop.
 */
final class Accession {

    private static final Logger LOG = LoggerFactory.getLogger(Accession.class);

    private final Decision decision;
    private final Room room;
    private final Consumer<Taken> taken;
    private final Loop loop;
    private final KubeApi kube;
    private final Optional<AnchorStore> store;
    private final Calls calls;
    private final ControllerSettings settings;
    private final ControllerListener listener;
    private final Announcements announcements;
    private final StoreClock clock;
    private final Findings found;
    private final String id;
    private final InstallationKeys keys;
    private final boolean mints;
    private final long epoch;
    private final InstallationSpec base;

    /**
     * What it works with.
     *
     * @param mayWrite whether the lease lasts long enough for one call more
     * @param again told what could not be done, and why
     */
    record Room(
            Loop loop,
            KubeApi kube,
            Optional<AnchorStore> store,
            Calls calls,
            ControllerSettings settings,
            ControllerListener listener,
            Announcements announcements,
            StoreClock clock,
            BooleanSupplier mayWrite,
            BiConsumer<String, String> again) {}

    /**
     * What was decided.
     *
     * @param mints the id was made just now
     * @param doubt why cluster and cloud may know of different pasts, as an earlier turn of this process found it
     */
    record Decision(
            Begin verdict,
            Gathered gathered,
            String id,
            InstallationKeys keys,
            boolean mints,
            boolean reconciles,
            long epoch,
            String nonce,
            Optional<String> doubt) {}

    Accession(Room room, Decision decision, Consumer<Taken> taken) {
        this.room = room;
        this.decision = decision;
        this.taken = taken;
        this.loop = room.loop();
        this.kube = room.kube();
        this.store = room.store();
        this.calls = room.calls();
        this.settings = room.settings();
        this.listener = room.listener();
        this.announcements = room.announcements();
        this.clock = room.clock();
        this.found = decision.gathered().findings();
        this.id = decision.id();
        this.keys = decision.keys();
        this.mints = decision.mints();
        this.epoch = decision.epoch();
        this.base = baseOf();
    }

    void begin() {
        if (found.keys().isPresent()) {
            anchorIdentity();
        } else {
            writeKeys();
        }
    }

    /** The record before this takeover, or what it would have been. */
    private InstallationSpec baseOf() {
        Findings.Here here = found.here();
        Optional<Identity> identity = mints ? Optional.empty() : found.identity();
        InstallationSpec known = found.record()
                .orElseGet(() -> new InstallationSpec(
                        id,
                        0,
                        here.clusterUid(),
                        "",
                        here.region(),
                        identity.map(Identity::vpc).orElse(here.vpc()),
                        "",
                        false,
                        settings.identity(),
                        ImmutableList.of()));
        return new InstallationSpec(
                id,
                known.epoch(),
                here.clusterUid(),
                here.account().orElse(known.account()),
                known.region(),
                known.vpc(),
                store.map(AnchorStore::location).orElse(""),
                known.draining(),
                known.holder(),
                known.shards());
    }

    void writeKeys() {
        ObjectRef ref = settings.keysSecret();
        if (tooLate()) {
            return;
        }
        calls.on(
                "kube",
                "create secrets",
                kube.create(FindingsReader.SECRETS, ref.namespace(), KeysSecret.object(ref, id, keys)),
                created -> anchorIdentity(),
                error -> room.again().accept("create Secret " + ref, error.message()));
    }

    void anchorIdentity() {
        if (store.isEmpty()) {
            record(Optional.empty());
            return;
        }
        Identity wanted = new Identity(
                id,
                base.clusterUID(),
                base.account(),
                base.region(),
                base.vpc(),
                settings.installation(),
                keys.toSecretData(),
                found.identity()
                        .filter(known -> !mints)
                        .map(Identity::createdAt)
                        .orElseGet(this::time));
        if (found.identity().equals(Optional.of(wanted))) {
            if (neverActed()) {
                point(store.get()); // a start that died after the identity may have left no way to it
            } else {
                claim(store.get());
            }
            return;
        }
        Optional<String> expected =
                mints || !(found.anchor() instanceof Anchor.Read read) ? Optional.empty() : read.identityVersion();
        write(store.get(), AnchorKeys.identity(id), wanted.toJson(), expected, written -> point(store.get()));
    }

    /** The record names no incarnation of our shard yet. */
    private boolean neverActed() {
        return base.shard(settings.node().name())
                .filter(shard -> shard.epoch() > 0)
                .isEmpty();
    }

    private void point(AnchorStore in) {
        point(in, AnchorKeys.byCluster(base.clusterUID(), settings.installation()), () -> pointByName(in));
    }

    /** Another installation of this name that lives keeps the pointer. */
    private void pointByName(AnchorStore in) {
        boolean taken = mints
                && found.via() == Via.NAME_POINTER
                && found.shard()
                        .map(Seen::shard)
                        .filter(shard -> shard.state() == State.CONFIRMED
                                && Duration.between(shard.renewedAt(), clock.latest())
                                                .compareTo(found.patience().multipliedBy(4))
                                        < 0)
                        .isPresent();
        if (taken) {
            claim(in);
        } else {
            point(in, AnchorKeys.byName(settings.installation(), settings.node().name()), () -> claim(in));
        }
    }

    private void point(AnchorStore in, String key, Runnable then) {
        calls.on(
                "anchor",
                "read",
                in.read(key),
                reading -> {
                    boolean points = reading.object()
                            .filter(object -> object.content().strip().equals(id))
                            .isPresent();
                    if (points) {
                        then.run();
                    } else {
                        write(in, key, id, reading.object().map(AnchorStore.Anchored::version), written -> then.run());
                    }
                },
                error -> room.again().accept("read the anchor's " + key, error.message()));
    }

    private void claim(AnchorStore in) {
        Optional<Seen> seen = mints ? Optional.empty() : found.shard();
        ShardAnchor claimed = shard(
                State.CLAIMED,
                seen.map(known -> known.shard().confirmed()).orElse(0L),
                seen.map(known -> known.shard().mark()).orElse(""));
        String key = AnchorKeys.shard(id, settings.node().name());
        write(
                in,
                key,
                claimed.toJson(),
                seen.map(Seen::version),
                written -> record(Optional.of(new Held(in, key, claimed, written.version(), Stamp.now(loop), clock))));
    }

    private ShardAnchor shard(State state, long confirmed, String mark) {
        return new ShardAnchor(
                epoch,
                state,
                confirmed,
                decision.nonce(),
                base.clusterUID(),
                settings.identity(),
                clock.latest(),
                mark);
    }

    /** Another may lead by now: then this turn is over at any moment, or else it is all looked at again. */
    private boolean tooLate() {
        if (room.mayWrite().getAsBoolean()) {
            return false;
        }
        room.again().accept("take over", "the lease is nearly over");
        return true;
    }

    private void record(Optional<Held> held) {
        if (tooLate()) {
            return;
        }
        InstallationSpec spec = base.with(new InstallationSpec.Shard(
                settings.node().name(), epoch, settings.identity(), decision.nonce(), decision.reconciles()));
        InstallationStatus status = decision.gathered()
                .installation()
                .map(Installation::status)
                .orElse(InstallationStatus.NONE)
                .with(anchored())
                .with(leads());
        if (decision.gathered().installation().isPresent()) {
            Installation known = decision.gathered().installation().get();
            calls.on(
                    "kube",
                    "replace installations",
                    kube.replace(
                            CrdKinds.INSTALLATIONS,
                            ObjectRef.cluster(settings.installation()),
                            new Installation(kept(known.metadata()), spec, status)),
                    written -> confirm(written, held),
                    error -> room.again().accept("raise the epoch", error.message()));
        } else {
            ObjectMetadata fresh = ObjectMetadata.named(settings.installation()).withFinalizer(Installation.FINALIZER);
            calls.on(
                    "kube",
                    "create installations",
                    kube.create(CrdKinds.INSTALLATIONS, "", new Installation(fresh, spec, status)),
                    written -> confirm(written, held),
                    error -> room.again().accept("create the Installation", error.message()));
        }
    }

    /** A finalizer cannot be added to what is being deleted. */
    private static ObjectMetadata kept(ObjectMetadata known) {
        return known.deleting() ? known : known.withFinalizer(Installation.FINALIZER);
    }

    private Condition anchored() {
        return store.map(where -> new Condition(
                        Conditions.ANCHORED,
                        "True",
                        "Anchored",
                        "identity, keys and epochs are also kept at " + where.location(),
                        time()))
                .orElseGet(
                        () -> new Condition(Conditions.ANCHORED, "False", "NoAnchor", Conditions.NOT_SURVIVED, time()));
    }

    private Condition leads() {
        return new Condition(
                Conditions.leads(settings.node().name()),
                "True",
                decision.verdict().name(),
                "epoch " + epoch + ", " + settings.identity() + ": "
                        + decision.doubt().orElse(decision.verdict().because()),
                time());
    }

    private String time() {
        return loop.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private void confirm(Installation written, Optional<Held> claimed) {
        if (claimed.isEmpty()) {
            done(written, Optional.empty());
            return;
        }
        Held held = claimed.get();
        String mark = Versions.later(held.shard().mark(), written.metadata().resourceVersion());
        boolean counted = found.shard()
                .filter(seen -> seen.shard().clusterUid().equals(base.clusterUID()))
                .isPresent();
        if (!counted
                || decision.verdict() instanceof Verdict.TimeTravel
                || decision.doubt().isPresent()) {
            mark = written.metadata().resourceVersion(); // the storage counts anew from there
        }
        ShardAnchor confirmed = shard(State.CONFIRMED, epoch, mark);
        Stamp sent = Stamp.now(loop);
        write(
                held.store(),
                held.key(),
                confirmed.toJson(),
                Optional.of(held.version()),
                answer -> done(
                        written,
                        Optional.of(new Held(held.store(), held.key(), confirmed, answer.version(), sent, clock))));
    }

    private void done(Installation written, Optional<Held> held) {
        if (tooLate()) {
            return; // the answer may have been waited for longer than the lease lasts, as when the machine slept
        }
        LOG.info("installation {} at epoch {}", id, epoch);
        InstallationSpec spec = written.spec();
        if (decision.verdict().notable()) {
            announcements.warn(
                    Optional.of(written),
                    decision.verdict().name(),
                    decision.verdict().because());
            listener.anomaly(decision.verdict().name(), decision.verdict().because());
        }
        decision.doubt().ifPresent(doubt -> announcements.warn(Optional.of(written), "TimeTravel", doubt));
        boolean told = decision.gathered()
                .installation()
                .map(Installation::status)
                .filter(status -> status.with(anchored()).equals(status))
                .isPresent();
        if (store.isEmpty() && !told) {
            announcements.note(Optional.of(written), "NoAnchor", Conditions.NOT_SURVIVED);
        }
        listener.blocked(Optional.empty());
        taken.accept(new Taken(
                new Standing(id, epoch, spec.region(), spec.vpc(), keys),
                decision.verdict(),
                decision.reconciles(),
                written,
                held));
    }

    private void write(
            AnchorStore in, String key, String content, Optional<String> expected, Consumer<AnchorStore.Written> then) {
        if (tooLate()) {
            return;
        }
        long sent = loop.nanos();
        calls.on(
                "anchor",
                "write",
                in.write(key, content, expected),
                written -> {
                    clock.answered(written.serverTime(), sent);
                    then.accept(written);
                },
                error -> room.again()
                        .accept(
                                error instanceof CloudError.Changed
                                        ? "write the anchor's " + key + ": somebody else was faster"
                                        : "write the anchor's " + key,
                                error.message()));
    }
}
