package dev.kip.controller;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.cell.CellApi;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.cells.Policy;
import dev.kip.controller.drain.Drain;
import dev.kip.controller.drain.Room;
import dev.kip.controller.effects.CellEffects;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.effects.KubeEffects;
import dev.kip.controller.effects.RequiredObjects;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.events.ObjectEvents.Subject;
import dev.kip.controller.gc.Audit;
import dev.kip.controller.gc.Collector;
import dev.kip.controller.gc.Gates;
import dev.kip.controller.gc.LastLooks;
import dev.kip.controller.interruption.EventWatch;
import dev.kip.controller.launch.LaunchDesk;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.launch.Spares;
import dev.kip.controller.launch.Survey;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.limits.Limits;
import dev.kip.controller.ownership.Adoption;
import dev.kip.controller.ownership.Announcements;
import dev.kip.controller.ownership.Conditions;
import dev.kip.controller.ownership.HighWater;
import dev.kip.controller.ownership.InstanceWatch;
import dev.kip.controller.ownership.Mandates;
import dev.kip.controller.ownership.Questions;
import dev.kip.controller.ownership.RecordKeeper;
import dev.kip.controller.ownership.Standing;
import dev.kip.controller.ownership.Takeover.Taken;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.trouble.CloudTroubles;
import dev.kip.controller.virtualnode.VirtualNode;
import dev.kip.crd.Cell;
import dev.kip.crd.Installation;
import dev.kip.crd.LaunchBatch;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One turn as leader, with an epoch of its own: wires the rooms, and takes each fact and each intent from one to the next.
 * All that it knows it has read from the API server and the cloud; when it is over, all is forgotten. Confined to the loop.
 */
final class Incarnation {

    private final Loop loop;
    private final ControllerSettings settings;
    private final ControllerListener listener;
    private final Calls calls;
    private final Standing standing;
    private final Mandates mandates;
    private final Again again;
    private final Announcements announcements;

    private final PodCells cells;
    private final KubeEffects kubeEffects;
    private final ObjectEvents events;
    private final Terminations terminations;
    private final LaunchDesk launches;
    private final Collector collector;
    private final Adoption adoption;
    private final InstanceWatch instances;
    private final Survey survey;
    private final VirtualNode node;
    private final RecordKeeper record;
    private final Optional<EventWatch> queue;
    private final Drain drain;

    private final ClusterView view;
    private final Map<String, LaunchBatch> openBatches = new LinkedHashMap<>();
    private boolean journalOpen;
    private boolean draining;
    private boolean opened;
    private boolean stopped;

    /** Another incarnation is to take this one's place. */
    interface Again {

        /**
         * @param floor an epoch that the next one must be above
         * @param doubt why cluster and cloud may know of different pasts; empty if there is no reason
         */
        void because(long floor, Optional<String> doubt);
    }

    /**
     * What the end of the virtual node touches outside this incarnation.
     *
     * @param letAnchorGo the anchor is not renewed from now on
     * @param drained nothing is left of the virtual node
     */
    record Ending(Optional<AnchorStore> anchors, Runnable letAnchorGo, Runnable drained) {}

    /**
     * @param leadUntil the end of the lease, less its margin, by {@link Loop#nanos}
     * @param anchorUntil until when nobody else can have taken the anchor
     */
    Incarnation(
            Loop loop,
            KubeApi kube,
            CloudApi cloud,
            Limits limits,
            CellApi cellApi,
            Entropy entropy,
            ControllerSettings settings,
            ControllerListener listener,
            Calls calls,
            Announcements announcements,
            Taken taken,
            Gates gates,
            HighWater highWater,
            LongSupplier leadUntil,
            LongSupplier anchorUntil,
            Again again,
            Ending ending) {
        this.loop = loop;
        this.settings = settings;
        this.listener = listener;
        this.calls = calls;
        this.standing = taken.standing();
        this.mandates = new Mandates(standing.epoch(), settings.timing(), leadUntil, anchorUntil);
        this.again = again;
        this.announcements = announcements;
        String nodeName = settings.node().name();
        Policy policy = new Policy(
                nodeName,
                standing.installationId(),
                standing.epoch(),
                settings.cells().daemonSets() == ControllerSettings.DaemonSets.SKIP,
                settings.cells().agentPort(),
                settings.node().internalIp(),
                settings.timing());
        this.kubeEffects = new KubeEffects(loop, kube, calls);
        CellEffects cellEffects =
                new CellEffects(loop, kube, cellApi, calls, settings.cells().apiServer(), this::tell);
        RequiredObjects required = new RequiredObjects(loop, kube, calls);
        CloudEffects cloudEffects =
                new CloudEffects(loop, cloud, limits, calls, new CloudTroubles(loop, new TroubleVoice(cloud)));
        this.events = new ObjectEvents(
                loop, kube, calls, nodeName, () -> !mandates.kube().expired(loop.nanos()));
        this.terminations = new Terminations(loop, cloudEffects, calls, mandates::cloud, this::cannotEnd);
        Dispatch dispatch = new Dispatch(
                loop,
                listener,
                events,
                mandates,
                kubeEffects,
                cellEffects,
                required,
                terminations,
                this::takenOrdersOf);
        this.cells = new PodCells(loop, calls, policy, listener, dispatch);
        this.launches = new LaunchDesk(
                loop,
                calls,
                entropy.fork("launches"),
                settings,
                listener,
                standing,
                mandates::cloud,
                mandates::kube,
                kubeEffects,
                cloudEffects,
                cells,
                terminations,
                cellApi,
                new FoundSpares());
        this.collector = collector(kube, cellApi, cloudEffects, gates, taken.installation());
        this.adoption = new Adoption(
                loop,
                calls,
                cloudEffects,
                cells,
                standing,
                new Adoption.Surroundings(
                        nodeName,
                        taken.reconciles(),
                        settings.timing().cloudConsistency(),
                        settings.timing().describeBusy(),
                        settings.timing().bootDeadline(),
                        openBatches::containsKey,
                        this::keptWarm,
                        terminations::asked),
                new Questions(cellApi, calls, settings.cells().agentPort(), this::takenOrdersOf),
                new Adopting());
        this.instances =
                new InstanceWatch(loop, calls, cloudEffects, cells, standing, settings.timing(), this::unclaimed);
        dispatch.connect(new Dispatch.Rooms(cells, launches, adoption, instances));
        this.survey = new Survey(
                cloudEffects,
                calls,
                settings.launch(),
                standing.installationId(),
                mandates::cloud,
                launches::surveyed,
                launches::notSurveyed);
        this.node = new VirtualNode(loop, kube, calls, entropy, settings.node(), mandates::kube);
        this.record = new RecordKeeper(
                loop,
                kube,
                calls,
                entropy,
                settings,
                standing,
                taken.installation(),
                mandates::kube,
                announcements,
                new Watch());
        this.drain = new Drain(
                new Room(
                        loop,
                        kube,
                        calls,
                        cloudEffects,
                        ending.anchors(),
                        cells,
                        launches,
                        terminations,
                        survey,
                        node,
                        record,
                        new Audit(
                                standing,
                                nodeName,
                                (reason, message, instance) -> events.tellOnce(
                                        Subject.installation(
                                                settings.installation(),
                                                record.installation().metadata().uid()),
                                        false,
                                        reason,
                                        message,
                                        instance),
                                listener),
                        standing,
                        settings,
                        mandates::kube,
                        mandates::cloud,
                        ending.letAnchorGo()),
                ending.drained());
        this.queue = cloud.events()
                .map(found -> new EventWatch(
                        new EventWatch.Room(
                                loop,
                                kube,
                                calls,
                                cells,
                                events,
                                listener,
                                announcements,
                                standing,
                                nodeName,
                                instances,
                                launches::avoidPool,
                                launches::goes,
                                record::installation,
                                mandates::kube),
                        found));
        this.view = new ClusterView(loop, kube, entropy, nodeName, highWater, new Seen());
    }

    private Collector collector(KubeApi kube, CellApi cellApi, CloudEffects cloud, Gates gates, Installation record) {
        Timing timing = settings.timing();
        Duration window = timing.cloudConsistency().compareTo(timing.orphanAge()) > 0
                ? timing.cloudConsistency()
                : timing.orphanAge();
        return new Collector(
                new Collector.Room(
                        loop,
                        kube,
                        calls,
                        cloud,
                        cells,
                        launches,
                        terminations,
                        events,
                        listener,
                        mandates::cloud,
                        () -> adoption().reconciling(),
                        (instance, report) -> adoption().answered(instance, report),
                        this::hurry),
                gates,
                new Collector.Settings(settings.installation(), settings.node().name(), window, settings.gc()),
                standing,
                record,
                new LastLooks(cloud, cellApi, calls, settings.cells().agentPort(), timing.bootDeadline()));
    }

    /** A call for a warm pool stays open as long as one of its instances is kept; others of it may hold pods. */
    private boolean keptWarm(String batch) {
        return Optional.ofNullable(openBatches.get(batch))
                .flatMap(open -> open.spec().warmPool())
                .isPresent();
    }

    private void unclaimed(ImmutableList<InstanceFacts> found) {
        adoption.unclaimed(found);
        launches.unclaimed(found);
        collector.consider(found);
    }

    private void hurry() {
        instances.hurry();
    }

    private Adoption adoption() {
        return adoption;
    }

    void start() {
        node.start();
        record.start();
        view.start();
    }

    void stop() {
        stopped = true;
        calls.close();
        node.stop();
        record.stop();
        view.stop();
    }

    private void followJournal() {
        journalOpen = true;
        openBatches.values().forEach(launches::found);
    }

    /** A cell has taken orders of a later epoch than ours: somebody else acts, or the cluster has forgotten its epochs. */
    private void takenOrdersOf(long epoch) {
        if (epoch > standing.epoch() && !stopped) {
            again.because(
                    epoch, Optional.of("a cell has taken orders of epoch " + epoch + ", ours is " + standing.epoch()));
        }
    }

    /** Instances go on costing money: that is not for the log alone. */
    private void cannotEnd(String why) {
        listener.anomaly("CannotTerminate", why);
        announcements.warn(
                Optional.of(record.installation()),
                "CannotTerminate",
                "EC2 does not end instances of ours: " + why + ". They cost money until it does; it is tried again."
                        + " kip doctor tells which permission is missing");
    }

    private void tell(Intent.GrantPod intent, boolean warning, String reason, String message) {
        events.tell(Subject.pod(intent.pod()), warning, reason, message);
    }

    /** Says what is wrong with the cloud. */
    private final class TroubleVoice implements CloudTroubles.Voice {

        private final CloudApi cloud;

        TroubleVoice(CloudApi cloud) {
            this.cloud = cloud;
        }

        @Override
        public void warn(String reason, String message) {
            announcements.warn(Optional.of(record.installation()), reason, message);
        }

        @Override
        public void note(String reason, String message) {
            announcements.note(Optional.of(record.installation()), reason, message);
        }

        @Override
        public void condition(boolean works, String reason, String message) {
            record.show(Conditions.cloudWorks(settings.node().name()), works, reason, message);
        }

        @Override
        public void metric(String kind, boolean there) {
            listener.cloudTrouble(kind, there);
        }

        @Override
        public void explain(String encoded, Consumer<String> text) {
            calls.on("cloud", "explainDenial", cloud.explainDenial(encoded), text, error -> {});
        }
    }

    /** What the cluster shows. */
    private final class Seen implements ClusterView.Listener {

        @Override
        public void setBack(String because) {
            again.because(standing.epoch(), Optional.of(because));
        }

        @Override
        public void pod(PodFacts pod) {
            cells.learn(pod.uid(), new CellFact.PodSeen(pod));
        }

        @Override
        public void podGone(PodFacts pod) {
            cells.learn(pod.uid(), new CellFact.PodGone());
        }

        @Override
        public void cell(Cell cell) {
            boolean ours = cell.status().node().equals(settings.node().name())
                    && cell.status().controllerID().equals(standing.installationId())
                    && !cell.status().podUID().isEmpty()
                    && !cell.status().instanceID().isEmpty();
            if (ours) {
                adoption.cellSeen(cell);
            }
        }

        @Override
        public void cellGone(Cell cell) {
            adoption.cellGone(cell);
        }

        @Override
        public void cellsListed(ImmutableList<Cell> all) {
            ImmutableSet<String> listed =
                    all.stream().map(cell -> cell.metadata().name()).collect(ImmutableSet.toImmutableSet());
            for (CellFacts bound : ImmutableList.copyOf(cells.all())) {
                bound.binding()
                        .filter(binding -> binding.recorded() && !listed.contains(binding.name()))
                        .ifPresent(binding -> kubeEffects.confirmCell(
                                binding.name(),
                                this::cell,
                                () -> cells.learn(
                                        bound.podUid(), new CellFact.CellGone(binding.name(), binding.objectUid()))));
            }
        }

        @Override
        public void batch(LaunchBatch batch) {
            openBatches.put(batch.metadata().name(), batch);
            if (journalOpen) {
                launches.found(batch);
            }
        }

        @Override
        public void batchGone(LaunchBatch batch) {
            openBatches.remove(batch.metadata().name());
        }

        @Override
        public void complete() {
            if (!stopped) {
                adoption.begin();
            }
        }
    }

    /** Takes over what runs. */
    private final class Adopting implements Adoption.Hands {

        @Override
        public void open(ImmutableList<InstanceFacts> all) {
            cells.open();
            instances.start(all);
            queue.ifPresent(EventWatch::start);
            opened = true;
            if (draining) {
                drain.begin();
            } else {
                survey.start();
            }
            if (adoption.reconciling().isEmpty()) {
                followJournal();
            }
            listener.synced();
        }

        @Override
        public void settled() {
            record.reconciled();
            followJournal();
        }

        @Override
        public void launch(Intent.AskForInstance intent) {
            launches.ask(intent);
        }

        @Override
        public void removeCell(Cell cell) {
            kubeEffects.removeCell(
                    new Intent.RemoveCell(
                            cell.metadata().name(), cell.metadata().uid()),
                    mandates.kube(),
                    fact -> cells.learn(cell.status().podUID(), fact));
        }

        @Override
        public void fail(PodFacts pod, Problem problem) {
            kubeEffects.fail(new Intent.FailPod(pod, problem), mandates.kube(), fact -> cells.learn(pod.uid(), fact));
        }

        @Override
        public void doubts(Cell cell, String why) {
            String name = cell.metadata().name();
            listener.anomaly("CellEdited", "Cell " + name + ": " + why);
            announcements.warn(
                    Optional.of(record.installation()),
                    "CellEdited",
                    "Cell " + name + " is not believed: " + why + ". It is written anew");
        }

        @Override
        public void waitsFor(ImmutableList<String> silent) {
            boolean over = adoption.reconciling().isEmpty();
            record.show(
                    Conditions.reconciled(settings.node().name()),
                    over,
                    over ? "Reconciled" : "Waiting",
                    over
                            ? "cluster and cloud tell of the same past"
                            : silent.isEmpty()
                                    ? "until the cloud shows all that it has started"
                                    : "for instances that do not answer: " + String.join(", ", silent)
                                            + ". One that cannot is to be terminated by hand");
        }
    }

    /** Instances that the takeover has found. */
    private final class FoundSpares implements Spares {

        @Override
        public boolean any() {
            return adoption.any();
        }

        @Override
        public Answer ask(PlannedPod pod, Fit fit) {
            return adoption.ask(pod, fit);
        }
    }

    /** What the record tells of us. */
    private final class Watch implements RecordKeeper.Listener {

        @Override
        public void replaced(String because) {
            listener.anomaly("replaced", because);
            again.because(0, Optional.empty());
        }

        @Override
        public void setBack(String because) {
            again.because(standing.epoch(), Optional.of(because));
        }

        @Override
        public void draining(boolean wanted) {
            draining = wanted;
            if (!wanted) {
                again.because(0, Optional.empty()); // what was taken down is to be made again
            } else if (opened) {
                drain.begin();
            }
        }
    }
}
