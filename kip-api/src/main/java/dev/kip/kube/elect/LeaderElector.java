package dev.kip.kube.elect;

import com.google.common.base.Preconditions;
import com.google.common.io.BaseEncoding;
import dev.kip.entropy.Entropy;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import dev.kip.loop.Stamp;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Leads while it holds a Lease. Trusts no other clock: a holder is dead when its record has not changed for the record's
 * own duration, as seen by this process's monotonic clock. A write whose answer was lost is unknown, and read again. The
 * election never ends by itself; one who has lost stands again. Confined to the loop.
 */
public final class LeaderElector {

    private static final Logger LOG = LoggerFactory.getLogger(LeaderElector.class);
    private static final ResourceKind<ObjectNode> LEASES = Kinds.LEASES.as(Codecs.tree());
    private static final int IDENTITY_BYTES = 8;

    private final KubeApi api;
    private final Loop loop;
    private final Entropy entropy;
    private final ElectionSettings settings;
    private final Leadership leadership;
    private final String identity;
    private final LeaseWatch watch;

    /** The lease as last read or written; empty when it must be read first. */
    private Optional<ObjectNode> current = Optional.empty();

    private String observed = "";
    private long observedAt;

    /** How long the holder that was observed last may be silent. */
    private Duration patience;

    private String newest = "";
    private String holder = "";
    private Optional<Stamp> renewedAt = Optional.empty();
    private Optional<Loop.Timer> deadline = Optional.empty();
    private Optional<Loop.Timer> nextTry = Optional.empty();
    private long attempt;

    /** A write is under way whose outcome may be that we hold the lease. */
    private boolean writing;

    private boolean refused;
    private boolean stopped;

    /** @param name who stands, for people, such as the pod's name; a random suffix makes it this process's own */
    public LeaderElector(
            KubeApi api, Loop loop, Entropy entropy, ElectionSettings settings, String name, Leadership leadership) {
        Preconditions.checkArgument(!name.isBlank(), "an election needs a name for this candidate, found \"%s\"", name);
        this.api = api;
        this.loop = loop;
        this.entropy = entropy.fork("elector " + settings.lease());
        this.settings = settings;
        this.leadership = leadership;
        this.patience = settings.leaseDuration();
        this.identity = name + "_"
                + BaseEncoding.base16()
                        .encode(this.entropy.bytes(IDENTITY_BYTES))
                        .toLowerCase(Locale.ROOT);
        this.watch = new LeaseWatch(api, LEASES, settings.lease(), this::shown);
    }

    /** Stands for election. Called once. */
    public void start() {
        tryNow();
    }

    /** This process's name in the Lease. */
    public String identity() {
        return identity;
    }

    /** Who held the lease when last seen; empty if nobody. */
    public String holder() {
        return holder;
    }

    public boolean leads() {
        return renewedAt.isPresent();
    }

    /**
     * Until when this process may mutate, on {@link Loop#nanos}: the last successful renewal's sending, plus the lease,
     * less the margin, by whichever clock that is over sooner. Empty when it does not lead.
     */
    public OptionalLong leadUntil() {
        return renewedAt.isPresent()
                ? OptionalLong.of(renewedAt.get().end(settings.leaseDuration().minus(settings.margin()), loop))
                : OptionalLong.empty();
    }

    /**
     * Stands down. If this process leads, {@link Leadership#lost} is called before this returns and the lease is released,
     * so that another may have it at once; the stage completes when that has been tried, whether it worked or not.
     */
    public CompletionStage<Void> stop() {
        stopped = true;
        nextTry.ifPresent(Loop.Timer::cancel);
        watch.close();
        attempt++;
        boolean led = leads();
        Optional<ObjectNode> lease = current;
        stepDown("this process is stopping");
        var done = new CompletableFuture<Void>();
        if (led && lease.isPresent()) {
            release(lease.get(), true, done);
        } else if (led || writing) {
            readAndRelease(false, done);
        } else {
            done.complete(null);
        }
        return done;
    }

    private void tryNow() {
        if (stopped) {
            return;
        }
        if (current.isPresent() && leads()) {
            write(current.get());
        } else {
            read();
        }
    }

    private void tryLater() {
        long period = settings.retryPeriod().toNanos();
        tryWithin(period + entropy.below(Math.max(1, period / 5)));
    }

    private void tryWithin(long nanos) {
        nextTry.ifPresent(Loop.Timer::cancel);
        nextTry = Optional.of(loop.after(Duration.ofNanos(Math.max(0, nanos)), this::tryNow));
    }

    /** Another holds the lease: it is read now and then, and at the moment when that other is dead if nothing more is heard. */
    private void standBy(ObjectNode lease) {
        watch.open(lease.path("metadata").path("resourceVersion").asString(""));
        long period = settings.retryPeriod().toNanos();
        tryWithin(Math.min(
                period + entropy.below(Math.max(1, period / 5)), observedAt + patience.toNanos() - loop.nanos()));
    }

    /** The watch shows the lease; whoever acts on it reads it first. */
    private void shown(ObjectNode lease) {
        if (stopped || leads() || writing) {
            return;
        }
        observe(lease);
        if (holder.isEmpty()) {
            tryWithin(0);
        }
    }

    private void read() {
        attempt(
                api.get(LEASES, settings.lease()),
                outcome -> outcome.on(this::consider, error -> {
                    if (error instanceof KubeError.NotFound) {
                        create();
                    } else {
                        LOG.warn("election: {}", error.message());
                        tryLater();
                    }
                }));
    }

    private void consider(ObjectNode lease) {
        observe(lease);
        if (wentBack(lease)) {
            tryLater();
            return;
        }
        Duration quiet = Duration.ofNanos(loop.nanos() - observedAt);
        if (holder.isEmpty() || holder.equals(identity) || quiet.compareTo(patience) >= 0) {
            write(lease);
            return;
        }
        stepDown("the lease is held by " + holder);
        admitted();
        standBy(lease);
    }

    private void create() {
        ObjectNode lease = JsonMapper.shared().createObjectNode();
        lease.put("apiVersion", LEASES.apiVersion()).put("kind", LEASES.kind());
        lease.putObject("metadata")
                .put("namespace", settings.lease().namespace())
                .put("name", settings.lease().name());
        ObjectNode held = LeaseRecord.heldBy(lease, identity, settings.leaseDuration(), loop.now());
        Stamp sent = Stamp.now(loop);
        writing = true;
        attempt(api.create(LEASES, settings.lease().namespace(), held), outcome -> written(sent, outcome));
    }

    private void write(ObjectNode lease) {
        ObjectNode held = LeaseRecord.heldBy(lease, identity, settings.leaseDuration(), loop.now());
        Stamp sent = Stamp.now(loop);
        writing = true;
        attempt(api.replace(LEASES, settings.lease(), held), outcome -> written(sent, outcome));
    }

    private void written(Stamp sent, Outcome<ObjectNode, KubeError> outcome) {
        writing = false;
        outcome.on(
                lease -> {
                    observe(lease);
                    wentBack(lease);
                    current = Optional.of(lease);
                    renewed(sent);
                    tryLater();
                },
                error -> {
                    // Someone else was faster, or our own write went through unheard: what the lease says decides.
                    LOG.warn("election: {}", error.message());
                    current = Optional.empty();
                    if (leads() && !(error instanceof KubeError.Busy)) {
                        read();
                    } else {
                        tryLater();
                    }
                });
    }

    private void renewed(Stamp sent) {
        admitted();
        boolean first = !leads();
        renewedAt = Optional.of(sent);
        deadline.ifPresent(Loop.Timer::cancel);
        Duration left = settings.renewDeadline().minus(Duration.ofNanos(loop.nanos() - sent.nanos()));
        deadline = Optional.of(loop.after(
                left.isNegative() ? Duration.ZERO : left,
                () -> stepDown("the lease could not be renewed for "
                        + settings.renewDeadline().toSeconds() + " s")));
        if (first) {
            LOG.info("election: {} leads", identity);
            watch.close();
            leadership.acquired();
        } else {
            leadership.renewed();
        }
    }

    private void stepDown(String why) {
        deadline.ifPresent(Loop.Timer::cancel);
        deadline = Optional.empty();
        current = Optional.empty();
        if (leads()) {
            renewedAt = Optional.empty();
            LOG.warn("election: {} leads no more: {}", identity, why);
            leadership.lost(why);
        }
    }

    /**
     * A lease that goes back to an earlier version was in a storage that was restored from a backup. Watches of this process
     * may hang then until the versions have caught up, and miss what lies between: it must begin anew.
     */
    private boolean wentBack(ObjectNode lease) {
        String version = lease.path("metadata").path("resourceVersion").asString("");
        boolean back = LeaseRecord.earlier(version, newest);
        newest = version;
        if (back) {
            stepDown("the lease went back to version " + version + ": the cluster was restored from a backup");
        }
        return back;
    }

    private void observe(ObjectNode lease) {
        String now = LeaseRecord.fingerprint(lease);
        if (!now.equals(observed)) {
            observed = now;
            observedAt = loop.nanos();
            holder = LeaseRecord.holder(lease);
            patience = LeaseRecord.duration(lease).orElse(settings.leaseDuration());
        }
    }

    /** One call. If it is not answered in time, its answer is not waited for any more and the lease is read again. */
    private void attempt(
            CompletionStage<Outcome<ObjectNode, KubeError>> call, Consumer<Outcome<ObjectNode, KubeError>> then) {
        long mine = ++attempt;
        Loop.Timer patience = loop.after(settings.attemptTimeout(), () -> {
            if (mine == attempt && !stopped) {
                attempt++;
                current = Optional.empty();
                LOG.warn(
                        "election: no answer within {} ms",
                        settings.attemptTimeout().toMillis());
                read();
            }
        });
        call.thenAccept(outcome -> {
            patience.cancel();
            if (mine == attempt && !stopped) {
                outcome.on(lease -> {}, this::lookForRefusal);
                then.accept(outcome);
            }
        });
    }

    private void lookForRefusal(KubeError error) {
        boolean refusal = error instanceof KubeError.Forbidden || error instanceof KubeError.Unauthorized;
        if (refusal && !refused) {
            refused = true;
            leadership.refused(Optional.of(error.message()));
        }
    }

    /** A lease that could be read, but not be written when it is free, is refused all the same. */
    private void admitted() {
        if (refused) {
            refused = false;
            leadership.refused(Optional.empty());
        }
    }

    private void readAndRelease(boolean again, CompletableFuture<Void> done) {
        api.get(LEASES, settings.lease())
                .thenAccept(outcome -> outcome.on(lease -> release(lease, again, done), error -> done.complete(null)));
    }

    private void release(ObjectNode lease, boolean again, CompletableFuture<Void> done) {
        if (!LeaseRecord.holder(lease).equals(identity)) {
            done.complete(null);
            return;
        }
        api.replace(LEASES, settings.lease(), LeaseRecord.released(lease, loop.now()))
                .thenAccept(outcome -> outcome.on(free -> done.complete(null), error -> {
                    LOG.info("election: release: {}", error.message());
                    if (again && error instanceof KubeError.Conflict) {
                        readAndRelease(false, done);
                    } else {
                        done.complete(null);
                    }
                }));
    }
}
