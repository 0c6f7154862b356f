package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * All that is offered, judged for one pod.
 *
 * @param fitting cheapest first: the order in which they are tried
 * @param leftOut types of which nothing fits, by the reason that the best of their places has; in the order of reasons
 */
public record Ranking(ImmutableList<Candidate> fitting, ImmutableMap<Exclusion, ImmutableList<String>> leftOut) {}
