package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.crd.LaunchBatch;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One launch call, from the first line in the journal to the last instance that is bound or ended. It is made once; if its
 * outcome is not known it is looked up until the cloud would have shown it, and then given up: its token is never sent
 * again. Confined to the loop.
 */
public final class Batch {

    /** Where the call stands. */
    public enum Stage {
        /** Nothing is written. */
        PLANNED,
        /** The journal has it; it has not been made. */
        JOURNALED,
        /** It is under way. */
        CALLED,
        /** It was, or may have been, made; what came of it is not known. */
        UNKNOWN,
        /** All instances that came of it are known. */
        ANSWERED,
        /** The journal tells of it no more. */
        ERASED
    }

    private static final Duration FIRST_LOOK = Duration.ofSeconds(1);
    private static final Duration LATER_LOOKS = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LATER_RETRIES = Duration.ofSeconds(30);

    private final String name;
    private final Optional<LaunchKey> key;
    private final Timing timing;
    private LaunchBatch record;
    private Stage stage;
    private final long born;
    private boolean journalWritten;
    private boolean underWay;
    private long notBefore;
    private int failures;
    private long unknownSince;
    private Templates.@Nullable Ready template;

    /** By pod uid: assigned, and not yet seen to be bound. */
    private final Map<String, InstanceFacts> open = new LinkedHashMap<>();

    /** Held for pods that are yet to come, if the call was for a warm pool. */
    private final Map<String, InstanceFacts> kept = new LinkedHashMap<>();

    /** Instances that no pod wants and whose end is not yet accepted. */
    private final Set<String> surplus = new LinkedHashSet<>();

    /** Every instance that is known to have come of the call. */
    private final Set<String> known = new LinkedHashSet<>();

    /** Pods that wait for an instance. */
    private final Map<String, PlannedPod> waiting = new LinkedHashMap<>();

    private Batch(LaunchBatch record, Optional<LaunchKey> key, Timing timing, Stage stage, long now) {
        this.name = record.metadata().name();
        this.record = record;
        this.key = key;
        this.timing = timing;
        this.stage = stage;
        this.born = now;
        this.notBefore = now;
        this.unknownSince = now;
        record.spec().pods().forEach(pod -> waiting.put(pod.uid(), pod));
    }

    /** A call that is to be made. */
    public static Batch planned(LaunchBatch record, LaunchKey key, Timing timing, long now) {
        return new Batch(record, Optional.of(key), timing, Stage.PLANNED, now);
    }

    /** A call that an earlier incarnation wrote down; it may or may not have made it, and it may still arrive. */
    public static Batch found(LaunchBatch record, Timing timing, long now) {
        Batch batch = new Batch(record, Optional.empty(), timing, Stage.UNKNOWN, now);
        batch.journalWritten = true;
        return batch;
    }

    public String name() {
        return name;
    }

    public Stage stage() {
        return stage;
    }

    public LaunchBatch record() {
        return record;
    }

    public Optional<LaunchKey> key() {
        return key;
    }

    public String token() {
        return record.spec().token();
    }

    /** Pods that have been given no instance yet, in launch order. */
    public ImmutableList<PlannedPod> waiting() {
        return ImmutableList.copyOf(waiting.values());
    }

    /** The next step; empty while the last one is under way, or waits for its time. */
    public Optional<BatchIntent> next(long now) {
        if (underWay || notBefore - now > 0) {
            return Optional.empty();
        }
        switch (stage) {
            case PLANNED:
                return Optional.of(new BatchIntent.WriteJournal(record));
            case JOURNALED:
                return Optional.of(
                        template == null
                                ? new BatchIntent.PrepareTemplate(key.orElseThrow())
                                : new BatchIntent.Launch(record, key.orElseThrow(), template));
            case UNKNOWN:
                return Optional.of(new BatchIntent.LookUp(name, token()));
            case ANSWERED:
                return open.isEmpty() && surplus.isEmpty() && waiting.isEmpty() && kept.isEmpty()
                        ? Optional.of(new BatchIntent.EraseJournal(
                                name, record.metadata().uid()))
                        : Optional.empty();
            default:
                return Optional.empty();
        }
    }

    /** When {@link #next} may differ though nothing else has changed. */
    public long due() {
        boolean waits = underWay || stage == Stage.ERASED || stage == Stage.CALLED;
        return waits || notBefore == born ? Long.MAX_VALUE : notBefore;
    }

    /** The step was handed out. */
    public void begun(BatchIntent intent) {
        underWay = true;
        if (intent instanceof BatchIntent.Launch) {
            stage = Stage.CALLED; // whatever becomes of it: never again
        }
    }

    /** The step was not done, or nobody knows; it is taken again after a while. */
    public void undone(long now) {
        underWay = false;
        Duration pause = RETRY.multipliedBy(1L << Math.min(failures, 10));
        failures++;
        notBefore = now + (pause.compareTo(LATER_RETRIES) < 0 ? pause : LATER_RETRIES).toNanos();
    }

    public void journaled(LaunchBatch written) {
        record = written;
        journalWritten = true;
        stage = Stage.JOURNALED;
        stepped();
    }

    public void templateReady(Templates.Ready ready) {
        template = ready;
        stepped();
    }

    /** The call was refused before it left this process. */
    public void notSent() {
        if (stage == Stage.CALLED) {
            nothingLaunched();
        }
    }

    /** The call was answered, and nothing was started. */
    public void nothingLaunched() {
        stage = journalWritten ? Stage.ANSWERED : Stage.ERASED;
        stepped();
    }

    /** The call was answered with instances: all there will be. */
    public void answered() {
        stage = Stage.ANSWERED;
        stepped();
    }

    public void outcomeUnknown(long now) {
        stage = Stage.UNKNOWN;
        unknownSince = now;
        stepped();
        notBefore = now + FIRST_LOOK.toNanos();
    }

    /**
     * A look in full, begun at {@code begun}, has shown {@code found} instances in all.
     *
     * @return whether no more can come
     */
    public boolean looked(int found, long begun, long now) {
        stepped();
        boolean allThere = found >= record.spec().pods().size();
        boolean shownByNow = begun - unknownSince
                >= timing.cloudConsistency().plus(timing.cloudTimeout()).toNanos();
        if (allThere || shownByNow) {
            stage = Stage.ANSWERED;
            return true;
        }
        failures++;
        Duration pause = FIRST_LOOK.multipliedBy(failures);
        notBefore = now + (pause.compareTo(LATER_LOOKS) < 0 ? pause : LATER_LOOKS).toNanos();
        return false;
    }

    /** @return whether this instance has not been seen before to have come of the call */
    public boolean learn(InstanceFacts instance) {
        return known.add(instance.id());
    }

    public void assigned(String podUid, InstanceFacts instance) {
        waiting.remove(podUid);
        open.put(podUid, instance);
    }

    /** The warm pool that it is for; empty if it is for pods. */
    public Optional<String> warmPool() {
        return record.spec().warmPool();
    }

    /** Instances that wait for pods. */
    public ImmutableList<InstanceFacts> kept() {
        return ImmutableList.copyOf(kept.values());
    }

    /** The instance waits for a pod, or is known better than before. */
    public void keep(InstanceFacts instance) {
        if (!kept.containsKey(instance.id()) && !waiting.isEmpty()) {
            waiting.remove(waiting.keySet().iterator().next());
        }
        kept.put(instance.id(), withTemplate(instance));
    }

    /** An answer to a launch need not carry the tag that names its template. */
    private InstanceFacts withTemplate(InstanceFacts instance) {
        if (instance.templateId().isPresent() || template == null) {
            return instance;
        }
        return new InstanceFacts(
                instance.id(),
                instance.state(),
                instance.type(),
                instance.zone(),
                instance.market(),
                instance.privateIp(),
                instance.publicIp(),
                instance.clientToken(),
                instance.launchIndex(),
                instance.launchTime(),
                Optional.of(template.templateId()),
                instance.stateReason(),
                instance.tags());
    }

    /** An instance that was kept is for this pod now. */
    public void give(String instanceId, String podUid) {
        @Nullable InstanceFacts instance = kept.remove(instanceId);
        if (instance == null) {
            throw new IllegalStateException(instanceId + " is not kept by " + name);
        }
        open.put(podUid, instance);
    }

    /** The instance is kept no more; what becomes of it is no matter of this call. */
    public void letGo(String instanceId) {
        kept.remove(instanceId);
    }

    /** Nobody wants this instance. */
    public void unwanted(String instanceId) {
        kept.remove(instanceId);
        surplus.add(instanceId);
    }

    public void ended(String instanceId) {
        surplus.remove(instanceId);
    }

    /** The pod waits no longer: it is gone, or another call is to serve it. */
    public void leaveOut(String podUid) {
        waiting.remove(podUid);
    }

    /**
     * The pod is bound to {@code instanceId}, or to none of ours if empty.
     *
     * @return the instance that was meant for it, if that is now unwanted
     */
    public Optional<String> settle(String podUid, Optional<String> instanceId) {
        waiting.remove(podUid);
        @Nullable InstanceFacts meant = open.remove(podUid);
        if (meant == null || instanceId.equals(Optional.of(meant.id()))) {
            return Optional.empty();
        }
        surplus.add(meant.id());
        return Optional.of(meant.id());
    }

    public void erased() {
        stage = Stage.ERASED;
        underWay = false;
    }

    private void stepped() {
        underWay = false;
        failures = 0;
        notBefore = born;
    }
}
