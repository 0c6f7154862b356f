package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import dev.kip.cloud.CloudApi.Market;

/**
 * All that is offered, judged for one pod.
 *
 * @param fitting cheapest first: the order in which they are tried
 * @param leftOut types of which nothing fits, by the reason that the best of their places has; in the order of reasons
 * @param places markets and zones that are left out of types of which something fits; those of the cheapest first
 */
public record Ranking(
        ImmutableList<Candidate> fitting,
        ImmutableListMultimap<Exclusion, String> leftOut,
        ImmutableList<Place> places) {

    /** One of a type's markets in one of our zones. */
    public record Place(String type, Market market, String zone, Exclusion exclusion) {}
}
