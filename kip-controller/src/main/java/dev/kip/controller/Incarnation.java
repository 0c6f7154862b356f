package dev.kip.controller;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Refusal;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Errand;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.cells.Policy;
import dev.kip.controller.drain.Drain;
import dev.kip.controller.drain.Room;
import dev.kip.controller.effects.CellEffects;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.effects.KubeEffects;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.events.ObjectEvents.Subject;
import dev.kip.controller.gc.Audit;
import dev.kip.controller.gc.Collector;
import dev.kip.controller.gc.Gates;
import dev.kip.controller.gc.LastLooks;
import dev.kip.controller.launch.LaunchDesk;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.launch.Survey;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.ownership.Adoption;
import dev.kip.controller.ownership.Announcements;
import dev.kip.controller.ownership.Conditions;
import dev.kip.controller.ownership.HighWater;
import dev.kip.controller.ownership.InstanceWatch;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.ownership.Questions;
import dev.kip.controller.ownership.RecordKeeper;
import dev.kip.controller.ownership.Standing;
import dev.kip.controller.ownership.Takeover.Taken;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.store.PodReader;
import dev.kip.controller.virtualnode.VirtualNode;
import dev.kip.crd.Cell;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.LaunchBatch;
import dev.kip.crd.ObjectMetadata;
import dev.kip.entropy.Entropy;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.reflect.Reflector;
import dev.kip.kube.reflect.ReflectorHandler;
import dev.kip.kube.reflect.ReflectorSettings;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
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
    private final HighWater highWater;
    private final LongSupplier leadUntil;
    private final LongSupplier anchorUntil;
    private final Again again;
    private final Announcements announcements;

    private final PodCells cells;
    private final KubeEffects kubeEffects;
    private final CellEffects cellEffects;
    private final ObjectEvents events;
    private final Terminations terminations;
    private final LaunchDesk launches;
    private final Collector collector;
    private final Adoption adoption;
    private final InstanceWatch instances;
    private final Survey survey;
    private final VirtualNode node;
    private final RecordKeeper record;
    private final Drain drain;

    private final Reflector<PodFacts> pods;
    private final Reflector<Cell> cellObjects;
    private final Reflector<LaunchBatch> journal;
    private final Map<String, LaunchBatch> openBatches = new LinkedHashMap<>();
    private int listsMissing = 3;
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
        this.highWater = highWater;
        this.leadUntil = leadUntil;
        this.anchorUntil = anchorUntil;
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
        this.cells = new PodCells(loop, calls, policy, listener, new Hands());
        this.kubeEffects = new KubeEffects(loop, kube, calls);
        this.cellEffects = new CellEffects(loop, kube, cellApi, calls, this::refused);
        CloudEffects cloudEffects = new CloudEffects(loop, cloud, calls);
        this.events = new ObjectEvents(
                loop, kube, calls, nodeName, () -> !kubeMandate().expired(loop.nanos()));
        this.terminations = new Terminations(loop, cloudEffects, calls, this::cloudMandate);
        this.launches = new LaunchDesk(
                loop,
                calls,
                entropy.fork("launches"),
                settings,
                listener,
                standing,
                this::cloudMandate,
                this::kubeMandate,
                kubeEffects,
                cloudEffects,
                cells,
                terminations);
        this.collector = collector(kube, cellApi, cloudEffects, gates);
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
                        openBatches::containsKey),
                new Questions(cellApi, calls, settings.cells().agentPort(), this::takenOrdersOf),
                new Adopting());
        this.instances =
                new InstanceWatch(loop, calls, cloudEffects, cells, standing, settings.timing(), collector::consider);
        this.survey = new Survey(
                loop,
                cloud,
                calls,
                settings.launch(),
                standing.installationId(),
                this::cloudMandate,
                launches::surveyed,
                launches::notSurveyed);
        this.node = new VirtualNode(loop, kube, calls, entropy, settings.node(), this::kubeMandate);
        this.record = new RecordKeeper(
                loop,
                kube,
                calls,
                entropy,
                settings,
                standing,
                taken.installation(),
                this::kubeMandate,
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
                                (warning, reason, message) -> events.tell(
                                        Subject.installation(
                                                settings.installation(),
                                                record.installation().metadata().uid()),
                                        warning,
                                        reason,
                                        message),
                                listener),
                        standing,
                        settings,
                        this::kubeMandate,
                        this::cloudMandate,
                        ending.letAnchorGo()),
                ending.drained());
        this.pods = reflector(
                kube,
                entropy,
                PodReader.PODS,
                pod -> new ObjectKey(pod.ref(), pod.uid(), pod.version()),
                ReflectorSettings.ALL.fields("spec.nodeName=" + nodeName),
                this::podSeen,
                this::podGone);
        this.cellObjects = reflector(
                kube,
                entropy,
                CrdKinds.CELLS,
                cell -> keyOf(cell.metadata()),
                ReflectorSettings.ALL,
                this::cellSeen,
                this::cellGone);
        this.journal = reflector(
                kube,
                entropy,
                CrdKinds.LAUNCH_BATCHES,
                batch -> keyOf(batch.metadata()),
                ReflectorSettings.ALL,
                this::batchSeen,
                batch -> openBatches.remove(batch.metadata().name()));
    }

    private Collector collector(KubeApi kube, CellApi cellApi, CloudEffects cloud, Gates gates) {
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
                        this::cloudMandate,
                        () -> adoption().reconciling(),
                        (instance, report) -> adoption().answered(instance, report),
                        this::hurry),
                gates,
                new Collector.Settings(settings.installation(), settings.node().name(), window, settings.gc()),
                standing,
                new LastLooks(cloud, cellApi, calls, settings.cells().agentPort(), timing.bootDeadline()));
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
        pods.start();
        cellObjects.start();
        journal.start();
    }

    void stop() {
        stopped = true;
        calls.close();
        node.stop();
        record.stop();
        pods.stop();
        cellObjects.stop();
        journal.stop();
    }

    private <T> Reflector<T> reflector(
            KubeApi kube,
            Entropy entropy,
            ResourceKind<T> kind,
            Function<T, ObjectKey> keyOf,
            ReflectorSettings what,
            Consumer<T> seen,
            Consumer<T> gone) {
        return new Reflector<>(kube, loop, entropy, kind, keyOf, what, new ReflectorHandler<T>() {
            private boolean listed;

            @Override
            public void listed(String version) {
                highWater
                        .listed(kind.plural(), version)
                        .ifPresent(because -> again.because(standing.epoch(), Optional.of(because)));
            }

            @Override
            public void upserted(T object) {
                highWater.seen(kind.plural(), keyOf.apply(object).resourceVersion());
                seen.accept(object);
            }

            @Override
            public void deleted(T last) {
                gone.accept(last);
            }

            @Override
            public void replaced(ImmutableList<T> all) {
                if (!listed) {
                    listed = true;
                    oneListMore();
                }
            }
        });
    }

    private static ObjectKey keyOf(ObjectMetadata metadata) {
        return new ObjectKey(ObjectRef.cluster(metadata.name()), metadata.uid(), metadata.resourceVersion());
    }

    /** Nothing is decided before pods, Cells and journal are known: what is missing from one may be in another. */
    private void oneListMore() {
        listsMissing--;
        if (listsMissing > 0 || stopped) {
            return;
        }
        adoption.begin();
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

    private void podSeen(PodFacts pod) {
        cells.learn(pod.uid(), new CellFact.PodSeen(pod));
    }

    private void podGone(PodFacts pod) {
        cells.learn(pod.uid(), new CellFact.PodGone());
    }

    private void cellSeen(Cell cell) {
        boolean ours = cell.status().node().equals(settings.node().name())
                && cell.status().controllerID().equals(standing.installationId())
                && !cell.status().podUID().isEmpty()
                && !cell.status().instanceID().isEmpty();
        if (ours) {
            adoption.cellSeen(cell);
        }
    }

    private void cellGone(Cell cell) {
        adoption.cellGone(cell);
    }

    private void batchSeen(LaunchBatch batch) {
        openBatches.put(batch.metadata().name(), batch);
        if (journalOpen) {
            launches.found(batch);
        }
    }

    /** In this cluster: whoever leads here is alone here. */
    private Mandate kubeMandate() {
        return mandate(settings.timing().kubeTimeout(), Long.MAX_VALUE);
    }

    /** Outside it: a copy of this cluster may believe the same, and the anchor decides between them. */
    private Mandate cloudMandate() {
        return mandate(settings.timing().cloudTimeout(), anchorUntil.getAsLong());
    }

    private Mandate cellMandate() {
        return mandate(settings.timing().kubeTimeout(), anchorUntil.getAsLong());
    }

    private Mandate mandate(Duration timeout, long most) {
        return new Mandate(standing.epoch(), Math.min(leadUntil.getAsLong() - timeout.toNanos(), most));
    }

    private void refused(Intent.GrantPod intent, Refusal refusal) {
        events.tell(
                Subject.pod(intent.pod()),
                refusal.kind().stopsThePod(),
                refusal.kind().stopsThePod() ? "FailedToHandOver" : "NotCarriedOver",
                refusal.field() + ": " + refusal.message());
    }

    /** Takes over what runs. */
    private final class Adopting implements Adoption.Hands {

        @Override
        public void open(ImmutableList<InstanceFacts> all) {
            cells.open();
            instances.start(all);
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
                    kubeMandate(),
                    fact -> cells.learn(cell.status().podUID(), fact));
        }

        @Override
        public void fail(PodFacts pod, Problem problem) {
            kubeEffects.fail(new Intent.FailPod(pod, problem), kubeMandate(), fact -> cells.learn(pod.uid(), fact));
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

    /** Takes intents to the rooms that carry them out, and their answers back. */
    private final class Hands implements PodCells.Hands {

        @Override
        public void carryOut(CellFacts cell, Intent intent) {
            String uid = cell.podUid();
            Consumer<CellFact> fact = answer -> learn(uid, answer);
            if (intent instanceof Intent.AskForInstance ask) {
                launch(ask);
            } else if (intent instanceof Intent.Decline decline) {
                launches.decline(cell, decline.batch());
            } else if (intent instanceof Intent.Explain explain) {
                events.tell(
                        Subject.pod(explain.pod()),
                        true,
                        explain.problem().reason(),
                        explain.problem().message());
                kubeEffects.explain(explain, kubeMandate(), fact);
            } else if (intent instanceof Intent.BindCell bind) {
                kubeEffects.bind(bind, kubeMandate(), answer -> bound(bind, answer, fact));
            } else if (intent instanceof Intent.WatchCell watch) {
                cellEffects.watch(watch, fact);
            } else if (intent instanceof Intent.GrantPod grant) {
                cellEffects.grant(grant, cellMandate(), fact);
            } else if (intent instanceof Intent.EndPod end) {
                cellEffects.end(end, cellMandate(), fact);
            } else if (intent instanceof Intent.PatchPodStatus patch) {
                kubeEffects.patchStatus(patch, kubeMandate(), fact);
            } else if (intent instanceof Intent.FailPod fail) {
                events.tell(
                        Subject.pod(fail.pod()),
                        true,
                        fail.problem().reason(),
                        fail.problem().message());
                kubeEffects.fail(fail, kubeMandate(), fact);
            } else if (intent instanceof Intent.RemovePod remove) {
                kubeEffects.removePod(remove, kubeMandate(), fact);
            } else if (intent instanceof Intent.RemoveCell remove) {
                kubeEffects.removeCell(remove, kubeMandate(), fact);
            } else if (intent instanceof Intent.TerminateInstance terminate) {
                Runnable end = () -> terminations.end(terminate.instanceId(), ending(terminate.instanceId(), fact));
                terminate.absent().ifPresentOrElse(pod -> kubeEffects.confirmAbsent(pod, uid, end, fact), end);
            } else if (intent instanceof Intent.Tell tell) {
                events.tell(Subject.pod(tell.pod()), tell.warning(), tell.reason(), tell.message());
            }
        }

        private void launch(Intent.AskForInstance ask) {
            if (!adoption.holdsBack(ask)) {
                launches.ask(ask);
            }
        }

        /** A Cell of that name may have been there before, and say something else. */
        private void bound(Intent.BindCell bind, CellFact answer, Consumer<CellFact> fact) {
            if (answer instanceof CellFact.CellSeen seen
                    && !seen.cell().status().equals(bind.cell())) {
                fact.accept(CellFact.Undone.certainly(Errand.BIND));
                adoption.cellSeen(seen.cell());
            } else {
                fact.accept(answer);
            }
        }

        private void learn(String uid, CellFact answer) {
            cells.learn(uid, answer);
            if (answer instanceof CellFact.Reported reported) {
                takenOrdersOf(reported.report().highestEpoch());
                reported.report()
                        .pod()
                        .filter(pod -> !pod.uid().equals(uid))
                        .ifPresent(pod -> adoption.holdsAnother(uid, pod.uid()));
            } else if (answer instanceof CellFact.CellFailed failed
                    && failed.error() instanceof CellError.Fenced fenced) {
                takenOrdersOf(fenced.highestEpoch());
            }
        }

        @Override
        public void changed(CellFacts before, CellFacts after) {
            launches.changed(before, after);
            count(before.pod().map(PodFacts::phase), after.pod().map(PodFacts::phase));
            if (before.instanceId().isEmpty()
                    && after.instanceId().isPresent()
                    && after.pod().isPresent()) {
                if (before.batch().isPresent()) {
                    events.tell(
                            Subject.pod(after.pod().get()),
                            false,
                            "CellBound",
                            "Bound to instance " + after.instanceId().get());
                }
            }
            if (after.unsettled() && !before.unsettled()) {
                instances.hurry();
            }
        }

        private void count(Optional<String> before, Optional<String> after) {
            if (!before.equals(after)) {
                before.ifPresent(phase -> listener.pods(phase, -1));
                after.ifPresent(phase -> listener.pods(phase, 1));
            }
        }
    }

    private static Terminations.Ending ending(String instanceId, Consumer<CellFact> fact) {
        return new Terminations.Ending() {
            @Override
            public void accepted() {
                fact.accept(new CellFact.Terminated(instanceId));
            }

            @Override
            public void unknown() {
                fact.accept(new CellFact.UnknownToCloud(instanceId));
            }

            @Override
            public void undone() {
                fact.accept(CellFact.Undone.of(Errand.TERMINATE));
            }
        };
    }
}
