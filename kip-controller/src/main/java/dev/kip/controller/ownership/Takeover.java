package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.BaseEncoding;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.ownership.Findings.Anchor;
import dev.kip.controller.ownership.Findings.KeysSecret;
import dev.kip.controller.ownership.Findings.Seen;
import dev.kip.controller.ownership.Findings.Via;
import dev.kip.controller.ownership.FindingsReader.Gathered;
import dev.kip.controller.ownership.ShardAnchor.State;
import dev.kip.controller.ownership.Verdict.Begin;
import dev.kip.controller.ownership.Verdict.Hold;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationStatus;
import dev.kip.crd.InstallationStatus.Condition;
import dev.kip.crd.ObjectMetadata;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ObjectRef;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the epoch: reads record, Secret and anchor, has {@link Matrix} decide, and writes in an order that leaves nothing
 * ambiguous wherever it is cut off: the keys, the anchor's identity, the claim on the anchor, the record, the confirmation.
 * Before the confirmation nothing else is changed anywhere. Whatever fails is tried again from the start: an epoch that is
 * skipped does no harm. Confined to the loop.
 */
public final class Takeover {

    private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LATER_RETRIES = Duration.ofSeconds(15);
    private static final int ID_BYTES = 16;

    private final Loop loop;
    private final KubeApi kube;
    private final Optional<AnchorStore> store;
    private final Calls calls;
    private final Entropy entropy;
    private final ControllerSettings settings;
    private final ControllerListener listener;
    private final Announcements announcements;
    private final StoreClock clock;
    private final FindingsReader reader;
    private final BooleanSupplier mayWrite;
    private final Past past;
    private final Consumer<Taken> taken;
    private final String nonce;
    private int failures;

    /**
     * What this process knows of its earlier turns.
     *
     * @param nonces of its incarnations
     * @param floor an epoch that the next one must be above
     * @param doubt why cluster and cloud may know of different pasts; empty if there is no reason
     */
    public record Past(ImmutableSet<String> nonces, long floor, Optional<String> doubt) {

        public static final Past NONE = new Past(ImmutableSet.of(), 0, Optional.empty());
    }

    /**
     * The epoch is ours.
     *
     * @param installation the record as it was written
     * @param anchor how to keep it; empty if there is none
     */
    public record Taken(
            Standing standing, Begin verdict, boolean reconciles, Installation installation, Optional<Held> anchor) {}

    /**
     * The shard's anchor as it was written last.
     *
     * @param sentAt when that was sent, by {@link Loop#nanos}
     */
    public record Held(
            AnchorStore store, String key, ShardAnchor shard, String version, long sentAt, StoreClock clock) {}

    /**
     * @param patience an anchor that has not been renewed for so long is nobody's
     * @param mayWrite whether the lease lasts long enough for one call more
     * @param taken hears of it once, when all is read and written
     */
    public Takeover(
            Loop loop,
            KubeApi kube,
            Optional<AnchorStore> store,
            CloudEffects cloud,
            Calls calls,
            Entropy entropy,
            ControllerSettings settings,
            ControllerListener listener,
            Announcements announcements,
            Duration patience,
            BooleanSupplier mayWrite,
            Past past,
            Consumer<Taken> taken) {
        this.loop = loop;
        this.kube = kube;
        this.store = store;
        this.calls = calls;
        this.entropy = entropy;
        this.settings = settings;
        this.listener = listener;
        this.announcements = announcements;
        this.clock = new StoreClock(loop);
        this.reader = new FindingsReader(loop, kube, store, cloud, calls, settings, clock, patience);
        this.mayWrite = mayWrite;
        this.past = past;
        this.taken = taken;
        this.nonce = random();
    }

    /** This incarnation's, in record and anchor. */
    public String nonce() {
        return nonce;
    }

    public void start() {
        reader.read(past.nonces(), this::decide, this::again);
    }

    private void decide(Gathered gathered) {
        Verdict verdict = Matrix.decide(gathered.findings());
        if (verdict instanceof Hold hold) {
            hold(hold, gathered);
        } else if (verdict instanceof Begin begin) {
            LOG.info("{}: {}", begin.name(), begin.because());
            prepare(begin, gathered);
        }
    }

    private void hold(Hold hold, Gathered gathered) {
        if (hold instanceof Verdict.StillHeld) {
            LOG.info("{}: looking again in {} ms", hold.because(), hold.again().toMillis());
        } else {
            listener.blocked(Optional.of(hold.name() + ": " + hold.because()));
            listener.anomaly(hold.name(), hold.because());
            announcements.warn(
                    gathered.installation(), hold.name(), hold.because() + ". Nothing is changed. " + hold.remedy());
        }
        calls.after(hold.again(), "take over", this::start);
    }

    private void prepare(Begin begin, Gathered gathered) {
        Findings found = gathered.findings();
        boolean mints = found.installationId().isEmpty()
                || (begin instanceof Verdict.ClusterRecreated other && !other.rejoin());
        String id = mints ? random() : found.installationId().orElseThrow();
        Optional<ImmutableMap<String, String>> kept = found.keys()
                .map(KeysSecret::data)
                .or(() -> mints ? Optional.empty() : found.identity().map(Identity::keys));
        InstallationKeys keys;
        try {
            keys = kept.map(InstallationKeys::fromSecretData)
                    .orElseGet(() -> InstallationKeys.create(entropy.fork("keys"), loop.now()));
        } catch (IllegalArgumentException e) {
            again("use Secret " + settings.keysSecret(), String.valueOf(e.getMessage()));
            return;
        }
        if (kept.isEmpty() && found.record().isPresent()) {
            announcements.warn(
                    gathered.installation(),
                    "KeysRenewed",
                    "the Secret with the keys is gone and nothing has them: new ones are made. What was made with the old"
                            + " ones proves nothing and cannot be told anything");
        }
        boolean unsettled = found.record()
                .flatMap(record -> record.shard(settings.node().name()))
                .filter(InstallationSpec.Shard::reconciling)
                .isPresent();
        boolean reconciles = begin.reconciles() || past.doubt().isPresent() || unsettled;
        Plan plan = new Plan(
                begin, gathered, id, keys, mints, reconciles, Math.max(found.highestEpoch(), past.floor()) + 1);
        if (found.keys().isPresent()) {
            plan.anchorIdentity();
        } else {
            plan.writeKeys();
        }
    }

    /** One takeover, from its first write to its last. */
    private final class Plan {

        private final Begin verdict;
        private final Gathered gathered;
        private final Findings found;
        private final String id;
        private final InstallationKeys keys;
        private final boolean mints;
        private final boolean reconciles;
        private final long epoch;
        private final InstallationSpec base;

        Plan(
                Begin verdict,
                Gathered gathered,
                String id,
                InstallationKeys keys,
                boolean mints,
                boolean reconciles,
                long epoch) {
            this.verdict = verdict;
            this.gathered = gathered;
            this.found = gathered.findings();
            this.id = id;
            this.keys = keys;
            this.mints = mints;
            this.reconciles = reconciles;
            this.epoch = epoch;
            this.base = baseOf();
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
                    error -> again("create Secret " + ref, error.message()));
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
                claim(store.get());
                return;
            }
            Optional<String> expected =
                    mints || !(found.anchor() instanceof Anchor.Read read) ? Optional.empty() : read.identityVersion();
            write(
                    store.get(),
                    AnchorKeys.identity(id),
                    wanted.toJson(),
                    expected,
                    written -> point(
                            store.get(),
                            AnchorKeys.byCluster(base.clusterUID(), settings.installation()),
                            () -> pointByName(store.get())));
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
                point(
                        in,
                        AnchorKeys.byName(
                                settings.installation(), settings.node().name()),
                        () -> claim(in));
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
                            write(
                                    in,
                                    key,
                                    id,
                                    reading.object().map(AnchorStore.Anchored::version),
                                    written -> then.run());
                        }
                    },
                    error -> again("read the anchor's " + key, error.message()));
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
                    written -> record(Optional.of(new Held(in, key, claimed, written.version(), 0, clock))));
        }

        private ShardAnchor shard(State state, long confirmed, String mark) {
            return new ShardAnchor(
                    epoch, state, confirmed, nonce, base.clusterUID(), settings.identity(), clock.latest(), mark);
        }

        /** Another may lead by now: then this turn is over at any moment, or else it is all looked at again. */
        private boolean tooLate() {
            if (mayWrite.getAsBoolean()) {
                return false;
            }
            again("take over", "the lease is nearly over");
            return true;
        }

        private void record(Optional<Held> held) {
            if (tooLate()) {
                return;
            }
            InstallationSpec spec = base.with(
                    new InstallationSpec.Shard(settings.node().name(), epoch, settings.identity(), nonce, reconciles));
            InstallationStatus status = gathered.installation()
                    .map(Installation::status)
                    .orElse(InstallationStatus.NONE)
                    .with(anchored())
                    .with(leads());
            if (gathered.installation().isPresent()) {
                Installation known = gathered.installation().get();
                calls.on(
                        "kube",
                        "replace installations",
                        kube.replace(
                                CrdKinds.INSTALLATIONS,
                                ObjectRef.cluster(settings.installation()),
                                new Installation(kept(known.metadata()), spec, status)),
                        written -> confirm(written, held),
                        error -> again("raise the epoch", error.message()));
            } else {
                ObjectMetadata fresh =
                        ObjectMetadata.named(settings.installation()).withFinalizer(Installation.FINALIZER);
                calls.on(
                        "kube",
                        "create installations",
                        kube.create(CrdKinds.INSTALLATIONS, "", new Installation(fresh, spec, status)),
                        written -> confirm(written, held),
                        error -> again("create the Installation", error.message()));
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
                    .orElseGet(() ->
                            new Condition(Conditions.ANCHORED, "False", "NoAnchor", Conditions.NOT_SURVIVED, time()));
        }

        private Condition leads() {
            return new Condition(
                    Conditions.leads(settings.node().name()),
                    "True",
                    verdict.name(),
                    "epoch " + epoch + ", " + settings.identity() + ": "
                            + past.doubt().orElse(verdict.because()),
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
                    || verdict instanceof Verdict.TimeTravel
                    || past.doubt().isPresent()) {
                mark = written.metadata().resourceVersion(); // the storage counts anew from there
            }
            ShardAnchor confirmed = shard(State.CONFIRMED, epoch, mark);
            long sent = loop.nanos();
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
            LOG.info("installation {} at epoch {}", id, epoch);
            InstallationSpec spec = written.spec();
            if (verdict.notable()) {
                announcements.warn(Optional.of(written), verdict.name(), verdict.because());
                listener.anomaly(verdict.name(), verdict.because());
            }
            past.doubt().ifPresent(doubt -> announcements.warn(Optional.of(written), "TimeTravel", doubt));
            boolean told = gathered.installation()
                    .map(Installation::status)
                    .filter(status -> status.with(anchored()).equals(status))
                    .isPresent();
            if (store.isEmpty() && !told) {
                announcements.note(Optional.of(written), "NoAnchor", Conditions.NOT_SURVIVED);
            }
            listener.blocked(Optional.empty());
            taken.accept(new Taken(
                    new Standing(id, epoch, spec.region(), spec.vpc(), keys), verdict, reconciles, written, held));
        }

        private void write(
                AnchorStore in,
                String key,
                String content,
                Optional<String> expected,
                Consumer<AnchorStore.Written> then) {
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
                    error -> again(
                            error instanceof CloudError.Changed
                                    ? "write the anchor's " + key + ": somebody else was faster"
                                    : "write the anchor's " + key,
                            error.message()));
        }
    }

    private String random() {
        return BaseEncoding.base32().lowerCase().omitPadding().encode(entropy.bytes(ID_BYTES));
    }

    private void again(String what, String why) {
        Duration pause = RETRY.multipliedBy(1L << Math.min(failures, 4));
        failures++;
        LOG.warn("cannot {}: {}; trying again", what, why);
        if (failures > 3) {
            listener.blocked(Optional.of("cannot " + what + ": " + why));
        }
        calls.after(pause.compareTo(LATER_RETRIES) < 0 ? pause : LATER_RETRIES, "take over", this::start);
    }
}
