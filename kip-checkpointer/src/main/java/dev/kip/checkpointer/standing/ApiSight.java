package dev.kip.checkpointer.standing;

import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.generation.PodKey;

/** What is known of the API server. Not to know is not the same as that there is nothing. */
public sealed interface ApiSight {

    /**
     * It was asked for the first time and has not answered yet.
     *
     * @param since when, by the monotonic clock in nanoseconds
     */
    record Asking(long since) implements ApiSight {}

    /** It does not answer, or not with a list. */
    record Silent(String reason) implements ApiSight {}

    /**
     * It answered with the parents on this node.
     *
     * @param since it has answered every time since then
     * @param evidence the list was read from the quorum, and the same server has this node under the uid that it had before:
     *     only such a list may take something away
     */
    record Answered(long since, ImmutableSortedMap<PodKey, Parent> parents, boolean evidence) implements ApiSight {}
}
