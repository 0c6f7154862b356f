package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.BaseEncoding;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.ownership.Findings.KeysSecret;
import dev.kip.controller.ownership.FindingsReader.Gathered;
import dev.kip.controller.ownership.Verdict.Begin;
import dev.kip.controller.ownership.Verdict.Hold;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import dev.kip.loop.Stamp;
import java.time.Duration;
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
    private final Runnable keepNode;
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
     * @param sentAt when that was sent
     */
    public record Held(
            AnchorStore store, String key, ShardAnchor shard, String version, Stamp sentAt, StoreClock clock) {}

    /**
     * @param patience an anchor that has not been renewed for so long is nobody's
     * @param mayWrite whether the lease lasts long enough for one call more
     * @param keepNode nothing may be changed for a while, the node's heartbeat apart; called again and again
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
            Runnable keepNode,
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
        this.keepNode = keepNode;
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
        if (hold.keepsNode()) {
            keepNode.run();
        }
        if (hold instanceof Verdict.StillHeld held && !held.ahead()) {
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
        new Accession(
                        new Accession.Room(
                                loop,
                                kube,
                                store,
                                calls,
                                settings,
                                listener,
                                announcements,
                                clock,
                                mayWrite,
                                this::again),
                        new Accession.Decision(
                                begin,
                                gathered,
                                id,
                                keys,
                                mints,
                                reconciles,
                                Math.max(found.highestEpoch(), past.floor()) + 1,
                                nonce,
                                past.doubt()),
                        taken)
                .begin();
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
