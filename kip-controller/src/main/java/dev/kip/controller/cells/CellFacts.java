package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.store.PodFacts;
import java.util.Optional;

/**
 * All that is known of one pod and its cell. Immutable; a fact makes another of it.
 *
 * @param pod as the API has it; empty once it is gone from there
 * @param podRemoved we have had its removal accepted; finalizers may still hold it
 * @param attempt number of the cell that is tried, from 0
 */
public record CellFacts(
        String podUid, Optional<PodFacts> pod, boolean podRemoved, int attempt, CellPhase phase, Errands errands) {

    public static CellFacts of(String podUid) {
        return new CellFacts(podUid, Optional.empty(), false, 0, Wanted.AT_ONCE, Errands.NONE);
    }

    public ImmutableList<Intent> next(Policy policy, long now) {
        return phase.next(this, policy, now);
    }

    /** The first time after {@code now} at which {@link #next} may differ though nothing else has changed. */
    public long due(Policy policy, long now) {
        return Math.min(phase.due(this, policy, now), errands.due(now));
    }

    /** Nothing is left that anybody should remember. */
    public boolean forgettable() {
        return pod.isEmpty() && phase instanceof Wanted;
    }

    /** The pod is there and is meant to run. */
    public boolean wantsToRun() {
        return pod.isPresent() && !pod.get().terminating() && !pod.get().finished();
    }

    /** It waits for an instance of this batch. */
    public boolean launchingIn(String batch) {
        return phase instanceof Launching launching && launching.batch().equals(batch);
    }

    /** The batch that it waits for; empty if for none. */
    public Optional<String> batch() {
        return phase instanceof Launching launching ? Optional.of(launching.batch()) : Optional.empty();
    }

    /** The batch has meant this instance for it. */
    public boolean assigned(String instanceId) {
        return phase instanceof Launching launching
                && launching
                        .assigned()
                        .filter(instance -> instance.id().equals(instanceId))
                        .isPresent();
    }

    /** What binds the pod to its instance; empty if nothing does. */
    public Optional<Binding> binding() {
        if (phase instanceof Bound bound) {
            return Optional.of(bound.binding());
        }
        return phase instanceof Leaving leaving ? Optional.of(leaving.binding()) : Optional.empty();
    }

    /** The instance that is bound to the pod. */
    public Optional<String> instanceId() {
        return binding().map(Binding::instanceId);
    }

    /** The instance that its batch has meant for it, until that is bound. */
    public Optional<InstanceFacts> assigned() {
        return phase instanceof Launching launching ? launching.assigned() : Optional.empty();
    }

    /** Where its instance is; empty if it has none, or nothing has been seen of it yet. */
    public Optional<String> zone() {
        if (phase instanceof Launching launching) {
            return launching.assigned().map(InstanceFacts::zone);
        }
        return phase instanceof Bound bound ? bound.sight().zone() : Optional.empty();
    }

    /** Something of its instance is expected to change soon. */
    public boolean unsettled() {
        return phase instanceof Bound bound ? bound.unsettled(this) : !(phase instanceof Wanted);
    }

    boolean terminating() {
        return pod.isPresent() && pod.get().terminating();
    }

    /** To be removed from the API by us, and not yet removed. */
    boolean podRemovable(long now) {
        return terminating() && !podRemoved && errands.free(Errand.REMOVE_POD, now);
    }

    Intent removePod() {
        return new Intent.RemovePod(pod.orElseThrow().ref(), podUid);
    }

    CellFacts with(CellPhase next) {
        return new CellFacts(podUid, pod, podRemoved, attempt, next, errands);
    }

    CellFacts with(Errands next) {
        return new CellFacts(podUid, pod, podRemoved, attempt, phase, next);
    }

    CellFacts withAttempt(int number) {
        return new CellFacts(podUid, pod, podRemoved, number, phase, errands);
    }

    CellFacts withPod(Optional<PodFacts> next) {
        return new CellFacts(podUid, next, podRemoved && next.isPresent(), attempt, phase, errands);
    }

    CellFacts withPodRemoved() {
        return new CellFacts(podUid, pod, true, attempt, phase, errands);
    }
}
