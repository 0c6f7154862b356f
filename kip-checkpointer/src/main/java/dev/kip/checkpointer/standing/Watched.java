package dev.kip.checkpointer.standing;

import dev.kip.checkpointer.standing.RuntimeSight.Run;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * How a pod has fared in the runtime.
 *
 * @param state now
 * @param since by the monotonic clock, in nanoseconds
 * @param uid of the pod that was seen last; empty if none was
 * @param instance of its containers
 * @param unstableSince it has tried to run since then, but never long enough
 * @param begun a container of it was made, whether it runs or not
 */
public record Watched(State state, long since, String uid, String instance, OptionalLong unstableSince, boolean begun) {

    /** What the runtime has of a pod. */
    public enum State {
        /** The runtime was never asked. */
        UNSEEN,
        /** No sandbox is ready. */
        ABSENT,
        /** A sandbox is ready, but not every container runs. */
        STARTING,
        RUNNING
    }

    static final Watched UNSEEN = new Watched(State.UNSEEN, 0, "", "", OptionalLong.empty(), false);

    Watched absent(long nanos) {
        return new Watched(State.ABSENT, state == State.ABSENT ? since : nanos, uid, "", OptionalLong.empty(), false);
    }

    Watched there(boolean complete, Run run, long nanos, Duration proof) {
        State now = complete ? State.RUNNING : State.STARTING;
        boolean samePod = uid.equals(run.uid()) && isThere();
        long nextSince = samePod && state == now && instance.equals(run.instance()) ? since : nanos;
        boolean stable = complete && nanos - nextSince >= proof.toNanos();
        OptionalLong trying = samePod && unstableSince.isPresent() ? unstableSince : OptionalLong.of(nanos);
        return new Watched(
                now,
                nextSince,
                run.uid(),
                run.instance(),
                stable ? OptionalLong.empty() : trying,
                (samePod && begun) || run.begun());
    }

    boolean isThere() {
        return state == State.STARTING || state == State.RUNNING;
    }

    /** It runs, and has for so long that it counts. */
    boolean stable() {
        return state == State.RUNNING && unstableSince.isEmpty();
    }

    boolean unstableFor(Duration duration, long nanos) {
        return isThere() && unstableSince.isPresent() && nanos - unstableSince.getAsLong() >= duration.toNanos();
    }

    boolean absentFor(Duration duration, long nanos) {
        return state == State.ABSENT && nanos - since >= duration.toNanos();
    }

    /** It was there when we looked, at least once. */
    boolean wasEverThere() {
        return !uid.isEmpty();
    }
}
