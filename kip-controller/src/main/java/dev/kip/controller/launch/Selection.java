package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a pod asks of its node by node selector and required node affinity. Labels that no instance decides, a team's own
 * for example, are the virtual node's: the scheduler has judged them, and here they count as met.
 *
 * @param all must hold
 * @param anyOf of these lists one must hold whole; empty if there is no affinity
 */
public record Selection(ImmutableList<Requirement> all, ImmutableList<ImmutableList<Requirement>> anyOf) {

    public static final Selection NONE = new Selection(ImmutableList.of(), ImmutableList.of());

    boolean admits(Candidate candidate) {
        return hold(all, candidate)
                && (anyOf.isEmpty() || anyOf.stream().anyMatch(requirements -> hold(requirements, candidate)));
    }

    private static boolean hold(ImmutableList<Requirement> requirements, Candidate candidate) {
        for (Requirement requirement : requirements) {
            if (Labels.decidedByInstance(requirement.key())
                    && !requirement.admits(Labels.of(requirement.key(), candidate))) {
                return false;
            }
        }
        return true;
    }

    boolean isEmpty() {
        return all.isEmpty() && anyOf.isEmpty();
    }

    /** Whether any line is about one of these keys. */
    boolean mentions(ImmutableList<String> keys) {
        return lines().anyMatch(requirement -> keys.contains(requirement.key()));
    }

    /** Whether a line about one of these keys asks for the very value that the candidate has. */
    boolean names(ImmutableList<String> keys, Candidate candidate) {
        return lines().anyMatch(requirement ->
                keys.contains(requirement.key()) && requirement.names(Labels.of(requirement.key(), candidate)));
    }

    String text() {
        String first = text(all);
        String second = anyOf.stream().map(Selection::text).collect(Collectors.joining(" or "));
        return first + (first.isEmpty() || second.isEmpty() ? "" : ", and ") + second;
    }

    private static String text(ImmutableList<Requirement> requirements) {
        return requirements.stream()
                .filter(requirement -> Labels.decidedByInstance(requirement.key()))
                .map(Requirement::text)
                .collect(Collectors.joining(" and "));
    }

    private Stream<Requirement> lines() {
        return Stream.concat(all.stream(), anyOf.stream().flatMap(ImmutableList::stream));
    }
}
