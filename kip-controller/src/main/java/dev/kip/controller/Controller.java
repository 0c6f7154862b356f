package dev.kip.controller;

import dev.kip.cell.CellApi;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.gc.Gates;
import dev.kip.controller.ownership.Claim;
import dev.kip.controller.ownership.Standing;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.elect.ElectionSettings;
import dev.kip.kube.elect.LeaderElector;
import dev.kip.kube.elect.Leadership;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The controller of one virtual node: from the moment it leads, every pod bound to the node runs on an instance of its own.
 * Confined to its loop: construct and call on it.
 */
public final class Controller {

    private final Loop loop;
    private final KubeApi kube;
    private final CloudApi cloud;
    private final Optional<AnchorStore> anchors;
    private final Function<InstallationKeys, CellApi> cells;
    private final Entropy entropy;
    private final ControllerSettings settings;
    private final ControllerListener listener;
    private final Gates gates;
    private final LeaderElector elector;
    private int turn;
    private Optional<Calls> calls = Optional.empty();
    private Optional<Incarnation> incarnation = Optional.empty();

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
        this.anchors = anchors;
        this.cells = cells;
        this.entropy = entropy;
        this.settings = settings;
        this.listener = listener;
        this.gates = gates;
        this.elector = new LeaderElector(kube, loop, entropy, election(settings), settings.identity(), new Turns());
    }

    /** Begins to compete for leadership. Called once. */
    public void start() {
        listener.leading(false, 0);
        elector.start();
    }

    /**
     * Gives up leadership and forgets everything; what is in flight is ignored when it comes back. Pods run on. The stage
     * completes on the loop when the lease has been released, so that another replica need not wait for its end.
     */
    public CompletionStage<Void> stop() {
        return elector.stop();
    }

    private static ElectionSettings election(ControllerSettings settings) {
        Duration lease = settings.timing().leaseDuration();
        return new ElectionSettings(
                new ObjectRef(
                        settings.namespace(),
                        settings.installation() + "-" + settings.node().name()),
                lease,
                lease.multipliedBy(7).dividedBy(10),
                lease.dividedBy(10),
                lease.multipliedBy(15).dividedBy(100),
                lease.dividedBy(10));
    }

    private final class Turns implements Leadership {

        @Override
        public void acquired() {
            turn++;
            Calls mine = new Calls(loop, listener);
            calls = Optional.of(mine);
            Entropy own = entropy.fork("turn " + turn);
            new Claim(
                            loop,
                            kube,
                            anchors.map(AnchorStore::location),
                            mine,
                            own,
                            settings,
                            listener,
                            standing -> begin(mine, own, standing))
                    .start();
        }

        private void begin(Calls mine, Entropy own, Standing standing) {
            listener.leading(true, standing.epoch());
            Incarnation next = new Incarnation(
                    loop,
                    kube,
                    cloud,
                    cells.apply(standing.keys()),
                    own,
                    settings,
                    listener,
                    mine,
                    standing,
                    gates,
                    () -> elector.leadUntil().orElse(loop.nanos()));
            incarnation = Optional.of(next);
            next.start();
        }

        @Override
        public void lost(String why) {
            calls.ifPresent(Calls::close);
            incarnation.ifPresent(Incarnation::stop);
            calls = Optional.empty();
            incarnation = Optional.empty();
            listener.leading(false, 0);
        }
    }
}
