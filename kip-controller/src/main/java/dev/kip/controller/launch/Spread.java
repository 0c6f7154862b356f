package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a pod's like are to be spread over zones: its topology spread constraints whose key is the zone. Those of other keys
 * are about nodes that are there before the pod is, which the scheduler has judged.
 *
 * @param labels of the pod, by which others count it
 */
public record Spread(ImmutableMap<String, String> labels, ImmutableList<Constraint> constraints) {

    public static final Spread NONE = new Spread(ImmutableMap.of(), ImmutableList.of());

    /**
     * One of them, with the scheduler's meaning.
     *
     * @param maxSkew at least 1
     * @param required {@code DoNotSchedule}; otherwise it is a wish
     * @param minDomains with fewer zones to choose from, the least count is taken to be 0
     * @param like which pods of the namespace count; none if empty
     */
    public record Constraint(int maxSkew, boolean required, int minDomains, Optional<ImmutableList<Requirement>> like) {

        boolean counts(ImmutableMap<String, String> podLabels) {
            return like.isPresent()
                    && like.get().stream()
                            .allMatch(requirement ->
                                    requirement.admits(Optional.ofNullable(podLabels.get(requirement.key()))));
        }

        String text() {
            return (required ? "at most " : "preferably at most ")
                    + maxSkew
                    + " more in one zone than in another of pods with "
                    + like.map(lines -> lines.isEmpty()
                                    ? "any labels"
                                    : lines.stream().map(Requirement::text).collect(Collectors.joining(" and ")))
                            .orElse("no labels at all");
        }
    }

    /** For people; empty if there is none. */
    public String text() {
        return constraints.stream().map(Constraint::text).collect(Collectors.joining("; "));
    }
}
