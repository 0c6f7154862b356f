package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cell.CellReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.events.ObjectEvents.Subject;
import dev.kip.controller.gc.Evidence.Allowance;
import dev.kip.controller.gc.Evidence.Incumbency;
import dev.kip.controller.gc.Gate.Reading;
import dev.kip.controller.gc.Gate.Stage;
import dev.kip.controller.gc.Gates.Objection;
import dev.kip.controller.launch.LaunchDesk;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.ownership.Provenance;
import dev.kip.controller.ownership.Standing;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends instances that are provably ours and that nothing claims: ghosts of calls that were given up, leftovers of Cells
 * that were deleted by hand. One round for each whole list of the cloud: what has been unclaimed for long enough is compared
 * with journal and Cells, put in quarantine, looked at once more, and ended if every gate agrees. Confined to the loop.
 */
public final class Collector {

    /** Annotation of the Installation: with a new value, collection goes on once although its breaker is open. */
    public static final String APPROVED = "kip.elotl.co/gc-approved";

    private static final Logger LOG = LoggerFactory.getLogger(Collector.class);
    private static final int MOST_IN_A_ROUND = 20;
    private static final Duration LONGEST_YIELD = Duration.ofMinutes(5);
    private static final Duration LONGEST_ROUND = Duration.ofMinutes(5);

    private final Room room;
    private final Gates gates;
    private final Settings settings;
    private final Standing standing;
    private final Sightings sightings = new Sightings();
    private final ClaimsReader claims;
    private final LastLooks looks;
    private final Breaker breaker;
    private final Ledger ledger;
    private final Executions executions;
    private final Audit audit;
    private Optional<Long> roundSince = Optional.empty();
    private Optional<Long> yieldingSince = Optional.empty();
    private String recordUid = "";
    private boolean stopped;

    /**
     * What the collector works with.
     *
     * @param mandate to mutate the cloud
     * @param reconciling what must be settled before anything may be concluded from absence; empty if nothing
     * @param holder told of an instance that nothing claims and that runs a pod that exists
     * @param hurry brings the next list of the cloud sooner
     */
    public record Room(
            Loop loop,
            KubeApi kube,
            Calls calls,
            CloudEffects cloud,
            PodCells cells,
            LaunchDesk launches,
            Terminations terminations,
            ObjectEvents events,
            ControllerListener listener,
            Supplier<Mandate> mandate,
            Supplier<Optional<String>> reconciling,
            Holder holder,
            Runnable hurry) {}

    /** Takes over what the last look has found alive. */
    public interface Holder {
        void found(InstanceFacts instance, CellReport report);
    }

    /**
     * How it is done.
     *
     * @param installation name of the record
     * @param window how long an instance must have been seen unclaimed
     */
    public record Settings(String installation, String node, Duration window, GcSettings gc) {}

    /** @param record as this incarnation has found it */
    public Collector(
            Room room, Gates gates, Settings settings, Standing standing, Installation record, LastLooks looks) {
        this.room = room;
        this.gates = gates;
        this.settings = settings;
        this.standing = standing;
        this.looks = looks;
        this.claims = new ClaimsReader(room.kube(), room.calls(), settings.node());
        this.breaker = new Breaker(settings.gc());
        this.recordUid = record.metadata().uid();
        Duration window = settings.gc().window();
        this.ledger = new Ledger(
                settings.node(), window.compareTo(Executions.TOLD_AGAIN) > 0 ? window : Executions.TOLD_AGAIN, record);
        this.audit = new Audit(
                standing,
                settings.node(),
                (reason, message, instance) -> room.events().tellOnce(subject(), false, reason, message, instance),
                room.listener());
        this.executions =
                new Executions(room, settings.installation(), ledger, breaker, sightings, audit, gates, this::claimed);
    }

    private Subject subject() {
        return Subject.installation(settings.installation(), recordUid);
    }

    /** @param unclaimed of a whole list of the installation's instances: those that are bound to no pod */
    public void consider(ImmutableList<InstanceFacts> unclaimed) {
        long now = room.loop().nanos();
        executions.tellAgain();
        ImmutableList<InstanceFacts> alive = unclaimed.stream()
                .filter(instance ->
                        !instance.state().ended() && !room.launches().isOpen(batchOf(instance)))
                .collect(ImmutableList.toImmutableList());
        sightings.inQuarantine().stream()
                .filter(id -> room.cells().podOf(id).isPresent())
                .forEach(this::unmark);
        sightings.saw(alive.stream().map(InstanceFacts::id).collect(ImmutableSet.toImmutableSet()), now);
        ImmutableList<Evidence> seen = alive.stream()
                .map(instance -> Evidence.seen(
                        instance,
                        Provenance.of(instance, standing),
                        settings.node(),
                        settings.window(),
                        sightings.of(instance.id(), now)))
                .collect(ImmutableList.toImmutableList());
        count(seen);
        ImmutableList<Evidence> ripe = seen.stream()
                .filter(evidence -> gates.objections(Stage.SIGHT, evidence).isEmpty())
                .limit(MOST_IN_A_ROUND)
                .collect(ImmutableList.toImmutableList());
        if (ripe.isEmpty()) {
            resume();
            return;
        }
        boolean busy = roundSince.isPresent() && now - roundSince.get() < LONGEST_ROUND.toNanos();
        if (settings.gc().enabled() && !busy && !yields(now)) {
            roundSince = Optional.of(now);
            readClaims(found -> quarantine(ripe, found));
        }
    }

    private static String batchOf(InstanceFacts instance) {
        return instance.tags().getOrDefault(Tags.BATCH, "");
    }

    private void count(ImmutableList<Evidence> seen) {
        int candidates = 0;
        int suspects = 0;
        for (Evidence evidence : seen) {
            if (!evidence.provenance().proven()) {
                suspects++;
                if (sightings.tellOnce(evidence.instance().id())) {
                    LOG.warn(
                            "instance {} {}: shown by kip cells, never ended",
                            evidence.instance().id(),
                            evidence.provenance().because());
                }
            } else if (settings.node().equals(evidence.instance().tags().get(Tags.NODE))) {
                candidates++;
            }
        }
        room.listener().unclaimed(candidates, suspects);
    }

    /** Launches come first: both draw on the account's request rates. */
    private boolean yields(long now) {
        if (!room.launches().busy()) {
            yieldingSince = Optional.empty();
            return false;
        }
        if (yieldingSince.isEmpty()) {
            yieldingSince = Optional.of(now);
        }
        return now - yieldingSince.get() < LONGEST_YIELD.toNanos();
    }

    private void readClaims(Consumer<Claims> then) {
        if (gates.needs(Reading.CLAIMS)) {
            claims.read(then);
        } else {
            then.accept(remembered());
        }
    }

    /** What the watches have told. */
    private Claims remembered() {
        ImmutableMap.Builder<String, String> cellByInstance = ImmutableMap.builder();
        ImmutableMap.Builder<String, String> instanceByPod = ImmutableMap.builder();
        ImmutableSet.Builder<String> pods = ImmutableSet.builder();
        for (CellFacts cell : room.cells().all()) {
            cell.instanceId().ifPresent(instance -> {
                cellByInstance.put(instance, cell.podUid());
                instanceByPod.put(cell.podUid(), instance);
            });
            cell.pod().ifPresent(pod -> pods.add(pod.uid()));
        }
        return new Claims(
                ImmutableList.of(),
                ImmutableList.of(),
                ImmutableSet.of(),
                cellByInstance.buildKeepingLast(),
                instanceByPod.buildKeepingLast(),
                pods.build());
    }

    private void quarantine(ImmutableList<Evidence> ripe, Claims found) {
        long now = room.loop().nanos();
        List<Evidence> due = new ArrayList<>();
        boolean waiting = false;
        for (Evidence seen : ripe) {
            Evidence evidence = seen.with(found);
            String id = evidence.instance().id();
            Optional<String> claimant = claimant(evidence);
            ImmutableList<Objection> objections = gates.objections(Stage.CLAIMS, evidence);
            if (claimant.isPresent()) {
                sightings.forget(id);
                release(evidence, claimant.get());
            } else if (!objections.isEmpty()) {
                LOG.info("instance {} is left alone: {}", id, objections.get(0));
            } else {
                if (sightings.quarantine(id, now)) {
                    mark(evidence);
                }
                if (sightings.quarantinedFor(id, settings.gc().quarantine(), now)) {
                    due.add(evidence);
                } else {
                    waiting = true;
                }
            }
        }
        if (waiting) {
            room.hurry().run();
        }
        if (due.isEmpty()) {
            roundSince = Optional.empty();
        } else {
            new Looking(ImmutableList.copyOf(due), found).begin();
        }
    }

    private Optional<String> claimant(Evidence evidence) {
        InstanceFacts instance = evidence.instance();
        Optional<String> pod = room.cells().podOf(instance.id());
        if (pod.isPresent()) {
            return Optional.of("pod " + pod.get());
        }
        if (room.launches().isOpen(batchOf(instance))) {
            return Optional.of("LaunchBatch " + batchOf(instance));
        }
        return evidence.claims().flatMap(found -> found.claimant(instance.id(), batchOf(instance)));
    }

    private void mark(Evidence evidence) {
        LOG.warn(
                "instance {} ({}, launched {}) {}; nothing claims it: in quarantine, ended in {} s if it stays so",
                evidence.instance().id(),
                evidence.instance().type(),
                evidence.instance().launchTime(),
                evidence.provenance().because(),
                settings.gc().quarantine().toSeconds());
        if (!settings.gc().dryRun()) {
            room.cloud()
                    .createTags(
                            ImmutableList.of(evidence.instance().id()),
                            ImmutableMap.of(
                                    Tags.CANDIDATE,
                                    room.loop()
                                            .now()
                                            .truncatedTo(ChronoUnit.SECONDS)
                                            .toString()),
                            room.mandate().get(),
                            () -> {},
                            error -> LOG.info(
                                    "instance {} could not be marked: {}",
                                    evidence.instance().id(),
                                    error.message()));
        }
    }

    /** It has an owner after all. */
    private void release(Evidence evidence, String claimant) {
        InstanceFacts instance = evidence.instance();
        LOG.info("instance {} is claimed by {}", instance.id(), claimant);
        if (instance.tags().containsKey(Tags.CANDIDATE)) {
            unmark(instance.id());
        }
    }

    private void unmark(String instanceId) {
        room.cloud()
                .deleteTags(
                        ImmutableList.of(instanceId),
                        ImmutableList.of(Tags.CANDIDATE),
                        room.mandate().get(),
                        () -> {},
                        error -> LOG.info("instance {} stays marked: {}", instanceId, error.message()));
    }

    /** The last look at each, all at the same time; then the record, just before anything is ended. */
    private final class Looking {

        private final ImmutableList<Evidence> due;
        private final Claims found;
        private final List<Evidence> looked = new ArrayList<>();

        Looking(ImmutableList<Evidence> due, Claims found) {
            this.due = due;
            this.found = found;
        }

        void begin() {
            if (!gates.needs(Reading.LAST_LOOK)) {
                readRecord(due);
                return;
            }
            for (Evidence evidence : due) {
                InstanceFacts instance = evidence.instance();
                looks.look(
                        instance,
                        sightings.endingFor(instance.id(), room.loop().nanos()),
                        look -> took(evidence.with(look)));
            }
        }

        private void took(Evidence evidence) {
            looked.add(evidence);
            if (looked.size() == due.size()) {
                readRecord(ImmutableList.copyOf(looked));
            }
        }

        private void readRecord(ImmutableList<Evidence> all) {
            if (!gates.needs(Reading.RECORD)) {
                judge(all, Optional.empty(), Optional.empty());
                return;
            }
            room.calls()
                    .on(
                            "kube",
                            "get installations",
                            room.kube().get(CrdKinds.INSTALLATIONS, ObjectRef.cluster(settings.installation())),
                            record -> {
                                recordUid = record.metadata().uid();
                                boolean lifted = breaker.approval(
                                        Optional.ofNullable(
                                                record.metadata().annotations().get(APPROVED)),
                                        podsThereWere());
                                if (lifted) {
                                    ledger.clear();
                                }
                                judge(all, Optional.of(incumbency(true, Optional.of(record))), Optional.of(record));
                            },
                            error -> judge(
                                    all,
                                    Optional.of(incumbency(error instanceof KubeError.NotFound, Optional.empty())),
                                    Optional.empty()));
        }

        private Incumbency incumbency(boolean read, Optional<Installation> record) {
            Optional<Long> epoch = record.filter(
                            it -> it.spec().installationID().equals(standing.installationId()))
                    .flatMap(it -> it.spec().shard(settings.node()))
                    .map(InstallationSpec.Shard::epoch);
            Mandate mandate = room.mandate().get();
            return new Incumbency(
                    read,
                    standing.epoch(),
                    epoch,
                    Duration.ofNanos(mandate.notAfter() - room.loop().nanos()));
        }

        private void judge(
                ImmutableList<Evidence> all, Optional<Incumbency> incumbency, Optional<Installation> record) {
            List<Evidence> condemned = new ArrayList<>();
            Optional<String> reason = Optional.empty();
            for (Evidence evidence : all) {
                reason = breaker.reason(
                        room.cells().instances().size(),
                        found.pods().size(),
                        podsThereWere(),
                        room.reconciling().get(),
                        room.loop().nanos());
                Evidence whole = incumbency.map(evidence::with).orElse(evidence).with(new Allowance(reason));
                if (condemns(whole)) {
                    breaker.spend(room.loop().nanos());
                    condemned.add(whole);
                }
            }
            if (reason.isPresent()) {
                stop(reason.get());
            } else {
                resume();
            }
            executions.end(ImmutableList.copyOf(condemned), record, () -> roundSince = Optional.empty());
        }

        private int podsThereWere() {
            int known = (int) room.cells().all().stream()
                    .filter(cell -> cell.pod().isPresent())
                    .count();
            return Math.max(known, found.instanceByPod().size());
        }

        /** Whether it is to be ended now. */
        private boolean condemns(Evidence evidence) {
            InstanceFacts instance = evidence.instance();
            if (claimed(evidence)) {
                return false;
            }
            ImmutableList<Objection> objections = gates.objections(Stage.END, evidence);
            if (objections.isEmpty()) {
                return !onlyTold(evidence);
            }
            LOG.info("instance {} is not ended: {}", instance.id(), objections.get(0));
            Optional<CellReport> running = evidence.look()
                    .flatMap(LastLook::report)
                    .filter(report ->
                            report.pod().isPresent() && !report.pod().get().ended());
            if (running.isEmpty()) {
                return false;
            }
            if (LastLookGate.holdsLivePod(running.get().pod().get(), evidence)) {
                sightings.forget(instance.id());
                room.holder().found(instance, running.get());
            } else if (onlyTheLook(objections)) {
                sightings.ending(instance.id(), room.loop().nanos());
                looks.endPod(instance, running.get(), standing.epoch(), LastLookGate.GRACE);
                room.hurry().run();
            }
            return false;
        }

        /** All others agree: its pod, which is gone, may be ended. */
        private boolean onlyTheLook(ImmutableList<Objection> objections) {
            return !settings.gc().dryRun()
                    && objections.stream()
                            .allMatch(objection -> objection.gate().needs().contains(Reading.LAST_LOOK));
        }
    }

    private boolean onlyTold(Evidence evidence) {
        boolean dry = settings.gc().dryRun();
        if (dry && sightings.tellOnce(evidence.instance().id())) {
            audit.wouldEnd(evidence, gates.names());
        }
        return dry;
    }

    /** It has an owner after all. */
    private boolean claimed(Evidence evidence) {
        Optional<String> claimant = claimant(evidence);
        if (claimant.isPresent()) {
            sightings.forget(evidence.instance().id());
            release(evidence, claimant.get());
        }
        return claimant.isPresent();
    }

    private void stop(String why) {
        if (!stopped) {
            stopped = true;
            LOG.warn("garbage collection is stopped: {}", why);
            room.listener().collectionStopped(true);
        }
        tell(
                true,
                "GarbageCollectionStopped",
                why + ". It goes on when that is over; kip gc shows what waits, and kip gc --yes ends it.");
    }

    private void tell(boolean warning, String reason, String message) {
        room.events().tell(subject(), warning, reason, message);
    }

    private void resume() {
        if (stopped) {
            stopped = false;
            LOG.info("garbage collection goes on");
            room.listener().collectionStopped(false);
        }
    }
}
