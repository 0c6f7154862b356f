package dev.kip.controller;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Hears what the controller counts, for metrics. Called on the loop; must return at once. */
public interface ControllerListener {

    /** For whoever counts nothing. */
    ControllerListener NONE = new ControllerListener() {};

    /** @param epoch of this incarnation; 0 before it may mutate */
    default void leading(boolean leader, long epoch) {}

    /**
     * Whether something forbids to act although the lease is held.
     *
     * @param why for people; empty if nothing does
     */
    default void blocked(Optional<String> why) {}

    /**
     * Whether the API server refuses this process the lease: its rights or its account are gone.
     *
     * @param why for people; empty when it is not refused any more
     */
    default void refused(Optional<String> why) {}

    /** What had to be read before the first decision is known. */
    default void synced() {}

    /**
     * A call came back.
     *
     * @param port {@code kube}, {@code cloud} or {@code cell}
     * @param verb for example {@code create cells}
     * @param outcome {@code ok}, or the kind of error, for example {@code NoAnswer}
     */
    default void called(String port, String verb, String outcome, Duration took) {}

    /** @param calls to the cloud that wait for its token buckets, as we know them */
    default void callsWaiting(int calls) {}

    /**
     * How much of a token bucket of the cloud's comes back to us.
     *
     * @param share of the documented rate, from 0 to 1; less than 1 after a refusal, for a while
     */
    default void pace(String bucket, double share) {}

    /** @param kind of error that calls to the cloud end in, for example {@code CredentialsExpired} */
    default void cloudTrouble(String kind, boolean there) {}

    /** @param kind of what the cloud has told by itself, for example {@code Interruption} */
    default void cloudEvent(String kind) {}

    /** A launch was answered. */
    default void launched(int asked, int got) {}

    /** Some keys were decided in one go. */
    default void reconciled(int keys, Duration took) {}

    /** @param delta how many more are in this phase, negative if fewer */
    default void pods(String phase, int delta) {}

    /** @param delta how many more are in this phase, negative if fewer */
    default void cells(String phase, int delta) {}

    /**
     * What the cells of a namespace's pods cost.
     *
     * @param market {@code on-demand} or {@code spot}
     * @param micros millionths of a dollar an hour; empty if there are none any more
     */
    default void cost(String namespace, String market, OptionalLong micros) {}

    /** What one pod's cell costs; not told for all if they are many. See {@link #cost}. */
    default void podCost(String namespace, String pod, OptionalLong micros) {}

    /** @param cells whose price is not known, and that are not in the cost */
    default void unpriced(int cells) {}

    /** @param pods that wait because the budget has no room for them */
    default void overBudget(int pods) {}

    /**
     * Instances of ours that nothing claims.
     *
     * @param candidates provably ours; ended if they stay unclaimed
     * @param suspects with a part of the proof missing; never ended
     */
    default void unclaimed(int candidates, int suspects) {}

    /** @param outcome {@code ended} or {@code dryRun} */
    default void collected(String outcome) {}

    /** @param open nothing is collected until the reason is gone */
    default void collectionStopped(boolean open) {}

    /** Nothing is left of the virtual node; the controller does nothing from now on. */
    default void drained() {}

    /** Something that should not happen was ridden out: an answer that makes no sense, an object that cannot be read. */
    default void anomaly(String what, String detail) {}
}
