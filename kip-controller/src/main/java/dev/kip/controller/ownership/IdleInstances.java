package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.PodCells;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Instances that a takeover finds, that no Cell names, and that hold nothing, or have not told yet: whoever deleted or
 * edited their Cells made them ownerless before their pods were handed over. Confined to the loop.
 */
final class IdleInstances {

    /** A call of the last incarnation to end one of them has arrived, or failed, by then. */
    private static final Duration IN_FLIGHT = Duration.ofSeconds(10);

    private final Loop loop;
    private final PodCells cells;
    private final Predicate<InstanceFacts> ours;
    private final Predicate<InstanceFacts> spokenFor;
    private final Duration patience;
    private final long since;

    /** Hold nothing, by their own word. */
    private final Map<String, InstanceFacts> idle = new LinkedHashMap<>();

    /** Of the last look. */
    private final Map<String, InstanceFacts> silent = new LinkedHashMap<>();

    /** Which pod waits for which of them. */
    private final Map<String, String> podByInstance = new LinkedHashMap<>();

    /**
     * @param ours whether it proves that it was launched by us for this node
     * @param spokenFor whether it is to be ended, or a launch call that is open gives it to its pods
     * @param patience for those that do not answer
     */
    IdleInstances(
            Loop loop,
            PodCells cells,
            Predicate<InstanceFacts> ours,
            Predicate<InstanceFacts> spokenFor,
            Duration patience) {
        this.loop = loop;
        this.cells = cells;
        this.ours = ours;
        this.spokenFor = spokenFor;
        this.patience = patience;
        this.since = loop.nanos();
    }

    /** It has told that it holds nothing. */
    void idle(InstanceFacts instance) {
        idle.put(instance.id(), instance);
    }

    /** @param instances that have been asked and have never answered */
    void silent(ImmutableList<InstanceFacts> instances) {
        silent.clear();
        instances.forEach(instance -> silent.put(instance.id(), instance));
    }

    /**
     * Takes out what has ended. What is not listed stays: somebody may have taken its tags away, and it has proven before
     * whose it is.
     *
     * @param unclaimed all that are bound to no pod, as the cloud shows them now
     */
    void seen(ImmutableList<InstanceFacts> unclaimed) {
        unclaimed.stream().filter(instance -> instance.state().ended()).forEach(instance -> {
            idle.remove(instance.id());
            silent.remove(instance.id());
        });
    }

    /** There may be some that pods can have. */
    boolean any() {
        return !idle.isEmpty() || (!silent.isEmpty() && awaited());
    }

    /** One that holds nothing, whosesoever it is. */
    Optional<InstanceFacts> told(Predicate<InstanceFacts> wanted) {
        return idle.values().stream().filter(wanted).findFirst();
    }

    /** One that holds nothing and is nobody's. */
    Optional<InstanceFacts> free(Predicate<InstanceFacts> wanted) {
        return told(instance -> free(instance) && wanted.test(instance));
    }

    /**
     * The one that this pod waits for, or is to wait for; empty if none is left that it may have.
     *
     * @param fits what would be launched for it
     */
    Optional<InstanceFacts> reserve(String podUid, Predicate<InstanceFacts> fits) {
        podByInstance
                .values()
                .removeIf(uid -> cells.get(uid)
                        .filter(CellFacts::wantsToRun)
                        .filter(cell -> cell.instanceId().isEmpty())
                        .isEmpty());
        Optional<InstanceFacts> found = Stream.concat(
                        idle.values().stream(), awaited() ? silent.values().stream() : Stream.empty())
                .filter(instance -> free(instance) && ours.test(instance) && fits.test(instance))
                .filter(instance ->
                        podByInstance.getOrDefault(instance.id(), podUid).equals(podUid))
                .min((one, other) ->
                        Boolean.compare(podByInstance.containsKey(other.id()), podByInstance.containsKey(one.id())));
        podByInstance.values().removeIf(podUid::equals);
        found.ifPresent(instance -> podByInstance.put(instance.id(), podUid));
        return found;
    }

    /** Whether it may be had at once. */
    boolean certain(InstanceFacts instance) {
        return idle.containsKey(instance.id()) && loop.nanos() - since >= IN_FLIGHT.toNanos();
    }

    /** Pods wait for some that have not answered. */
    boolean awaitsAnswers() {
        return awaited() && podByInstance.keySet().stream().anyMatch(silent::containsKey);
    }

    private boolean awaited() {
        return loop.nanos() - since < patience.toNanos();
    }

    private boolean free(InstanceFacts instance) {
        return (instance.state() == InstanceState.PENDING || instance.state() == InstanceState.RUNNING)
                && cells.podOf(instance.id()).isEmpty()
                && !spokenFor.test(instance);
    }
}
