package dev.kip.controller;

import com.google.common.collect.ImmutableSet;
import dev.kip.cell.CellApi;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.gc.Gates;
import dev.kip.controller.limits.Limits;
import dev.kip.controller.ownership.AnchorKeeper;
import dev.kip.controller.ownership.Announcements;
import dev.kip.controller.ownership.HighWater;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.ownership.Takeover;
import dev.kip.controller.ownership.Takeover.Past;
import dev.kip.controller.ownership.Takeover.Taken;
import dev.kip.controller.virtualnode.Vigil;
import dev.kip.crd.Installation;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.elect.ElectionSettings;
import dev.kip.kube.elect.LeaderElector;
import dev.kip.kube.elect.Leadership;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller of one virtual node: from the moment it leads, every pod bound to the node runs on an instance of its own.
 * Confined to its loop: construct and call on it.
 */
public final class Controller {

    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
    /** The store is asked no longer than this when the process stops: the lease is to be released too. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(2);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration QUIET_AFTER = Duration.ofMinutes(10);

    private final Loop loop;
    private final KubeApi kube;
    private final CloudApi cloud;
    private final Limits limits;
    private final Optional<AnchorStore> anchors;
    private final Function<InstallationKeys, CellApi> cells;
    private final Entropy entropy;
    private final ControllerSettings settings;
    private final ControllerListener listener;
    private final Gates gates;
    private final LeaderElector elector;
    private final Set<String> nonces = new LinkedHashSet<>();
    private boolean drained;
    private int turn;
    private int disputes;
    private long lastDispute;
    private Optional<Calls> calls = Optional.empty();
    private Optional<Incarnation> incarnation = Optional.empty();
    private Optional<AnchorKeeper> anchor = Optional.empty();

    /**
     * @param anchors where the installation's identity is kept outside the cluster; empty if nowhere
     * @param cells opens the way to cells, once leading has shown the installation's keys
     * @param gates that an instance must pass before garbage collection ends it: {@link Gates#standard}
     */
    public Controller(
            Loop loop,
            KubeApi kube,
            CloudApi cloud,
            Optional<AnchorStore> anchors,
            Function<InstallationKeys, CellApi> cells,
            Entropy entropy,
            ControllerSettings settings,
            ControllerListener listener,
            Gates gates) {
        this.loop = loop;
        this.kube = kube;
        this.cloud = cloud;
        this.limits = new Limits(loop, cloud.limits(), listener);
        this.anchors = anchors;
        this.cells = cells;
        this.entropy = entropy;
        this.settings = settings;
        this.listener = listener;
        this.gates = gates;
        this.elector = new LeaderElector(
                kube, loop, entropy, election(settings, settings.node().name()), settings.identity(), new Turns());
    }

    /** Begins to compete for leadership. Called once. */
    public void start() {
        listener.leading(false, 0);
        elector.start();
    }

    /**
     * Gives up leadership and forgets everything; what is in flight is ignored when it comes back. Pods run on. The stage
     * completes on the loop when anchor and lease have been released, so that another replica need not wait for their end.
     * After a drain the lease is not released: another replica that is also about to stop is not to begin anew.
     */
    public CompletionStage<Void> stop() {
        if (drained) {
            return CompletableFuture.completedFuture(null); // the lease is left to run out
        }
        Optional<AnchorKeeper> held = anchor;
        end();
        CompletableFuture<Void> released = new CompletableFuture<>();
        held.ifPresentOrElse(
                keeper -> {
                    keeper.release().thenRun(() -> released.complete(null));
                    loop.after(RELEASE_PATIENCE, () -> released.complete(null));
                },
                () -> released.complete(null));
        return released.thenCompose(done -> elector.stop());
    }

    /** How it is settled who acts for a virtual node. */
    public static ElectionSettings election(ControllerSettings settings, String node) {
        Duration lease = settings.timing().leaseDuration();
        return new ElectionSettings(
                new ObjectRef(settings.namespace(), settings.installation() + "-" + node),
                lease,
                lease.multipliedBy(7).dividedBy(10),
                lease.dividedBy(10),
                lease.multipliedBy(15).dividedBy(100),
                lease.dividedBy(10));
    }

    /** Once the lease of a leader that vanished is over, its anchor is older than this: a plain failover never waits. */
    private Duration anchorPatience() {
        return settings.timing().leaseDuration().multipliedBy(3).dividedBy(4).plusSeconds(2);
    }

    private Duration anchorPeriod() {
        return settings.timing().leaseDuration().multipliedBy(6).dividedBy(10);
    }

    private void end() {
        calls.ifPresent(Calls::close);
        incarnation.ifPresent(Incarnation::stop);
        limits.abandon();
        calls = Optional.empty();
        incarnation = Optional.empty();
        anchor = Optional.empty();
    }

    private void takeOver(long floor, Optional<String> doubt, Duration pause) {
        turn++;
        Calls mine = new Calls(loop, listener);
        calls = Optional.of(mine);
        Entropy own = entropy.fork("turn " + turn);
        ObjectEvents events =
                new ObjectEvents(loop, kube, mine, settings.node().name(), () -> leadUntil() - loop.nanos() > 0);
        Announcements announcements = new Announcements(events, settings.installation());
        Vigil vigil = new Vigil(
                loop,
                kube,
                mine,
                settings.node().name(),
                () -> new Mandate(
                        0, leadUntil() - settings.timing().kubeTimeout().toNanos()));
        Takeover takeover = new Takeover(
                loop,
                kube,
                anchors,
                new CloudEffects(loop, cloud, limits, mine),
                mine,
                own,
                settings,
                listener,
                announcements,
                anchorPatience(),
                () -> leadUntil() - settings.timing().kubeTimeout().toNanos() - loop.nanos() > 0,
                vigil::keep,
                new Past(ImmutableSet.copyOf(nonces), floor, doubt),
                taken -> {
                    vigil.stop();
                    begin(mine, own, announcements, taken);
                });
        nonces.add(takeover.nonce());
        if (pause.isZero()) {
            takeover.start();
        } else {
            mine.after(pause, "take over", takeover::start);
        }
    }

    private long leadUntil() {
        return elector.leadUntil().orElse(loop.nanos());
    }

    private void begin(Calls mine, Entropy own, Announcements announcements, Taken taken) {
        listener.leading(true, taken.standing().epoch());
        HighWater highWater = new HighWater();
        anchor = taken.anchor()
                .map(held -> new AnchorKeeper(
                        loop,
                        mine,
                        held,
                        anchorPeriod(),
                        anchorPatience(),
                        highWater::mark,
                        new AnchorWatch(announcements, taken.installation())));
        Incarnation next = new Incarnation(
                loop,
                kube,
                cloud,
                limits,
                cells.apply(taken.standing().keys()),
                own,
                settings,
                listener,
                mine,
                announcements,
                taken,
                gates,
                highWater,
                this::leadUntil,
                () -> anchor.map(AnchorKeeper::until).orElse(Long.MAX_VALUE),
                this::again,
                new Incarnation.Ending(anchors, () -> anchor = Optional.empty(), this::drained));
        incarnation = Optional.of(next);
        next.start();
    }

    /**
     * Nothing is left of the virtual node. The lease is kept, and nothing else is done: another replica would begin a new
     * installation while the Deployment is still there.
     */
    private void drained() {
        drained = true;
        end();
        listener.blocked(
                Optional.of("drained: nothing is left of this virtual node; delete the controller's Deployment, or"
                        + " restart it to begin anew"));
        listener.drained();
    }

    /**
     * Something shows that this incarnation's picture is not the cluster's any more: another takes its place at once; if
     * that happens again and again, after a while.
     */
    private void again(long floor, Optional<String> doubt) {
        end();
        listener.leading(true, 0);
        disputes = disputes > 0 && loop.nanos() - lastDispute < QUIET_AFTER.toNanos() ? disputes + 1 : 1;
        lastDispute = loop.nanos();
        Duration pause = disputes == 1 ? Duration.ZERO : Duration.ofSeconds(1L << Math.min(disputes, 5));
        takeOver(floor, doubt, pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
    }

    private final class Turns implements Leadership {

        @Override
        public void acquired() {
            if (drained) {
                return;
            }
            takeOver(0, Optional.empty(), Duration.ZERO);
        }

        @Override
        public void renewed() {
            anchor.ifPresent(AnchorKeeper::leaseRenewed);
        }

        @Override
        public void refused(Optional<String> why) {
            Optional<String> said = why.map(words -> "the API server refuses the Lease: " + words
                    + ". If the release was uninstalled, end this process; else give its"
                    + " ServiceAccount the rights of deploy/rbac.yaml again");
            said.ifPresent(text -> {
                LOG.error("{}", text);
                listener.anomaly("RightsTakenAway", text);
            });
            listener.refused(said);
        }

        @Override
        public void lost(String why) {
            end();
            listener.leading(false, 0);
        }
    }

    private final class AnchorWatch implements AnchorKeeper.Listener {

        private final Announcements announcements;
        private final Installation installation;

        AnchorWatch(Announcements announcements, Installation installation) {
            this.announcements = announcements;
            this.installation = installation;
        }

        @Override
        public void lost(String because) {
            listener.blocked(Optional.of("CloneOrSplit: " + because));
            listener.anomaly("CloneOrSplit", because);
            announcements.warn(Optional.of(installation), "CloneOrSplit", because + ". Nothing is changed from now on");
            again(0, Optional.empty());
        }

        @Override
        public void gone() {
            listener.anomaly("AnchorLost", "the anchor's object was deleted");
            again(0, Optional.empty());
        }

        @Override
        public void late(String because) {
            listener.anomaly("AnchorLate", because);
            announcements.warn(
                    Optional.of(installation),
                    "AnchorLate",
                    because + ". Until it can, nothing is launched, ended, or handed to a cell");
        }
    }
}
