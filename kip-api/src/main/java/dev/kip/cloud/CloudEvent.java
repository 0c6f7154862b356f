package dev.kip.cloud;

import java.time.Instant;

/** What the cloud tells by itself, as far as it is understood. */
public sealed interface CloudEvent {

    /** As metrics name it, for example {@code Interruption}. */
    default String kind() {
        return getClass().getSimpleName();
    }

    /**
     * A spot instance is about to be taken back.
     *
     * @param at when that was decided; two minutes later it happens
     * @param action {@code terminate}, {@code stop} or {@code hibernate}
     */
    record Interruption(String instanceId, Instant at, String action) implements CloudEvent {}

    /** A spot instance is likelier than others to be taken back. */
    record Rebalance(String instanceId) implements CloudEvent {}

    /** @param state in the cloud's words, for example {@code shutting-down} */
    record StateChange(String instanceId, String state) implements CloudEvent {}

    /** An event of a kind that we do not know. */
    record Unknown(String what) implements CloudEvent {}

    /** No event at all. */
    record Poison(String why) implements CloudEvent {}
}
