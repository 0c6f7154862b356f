package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;

/**
 * What is known of one thing, for people.
 *
 * @param kind pod, cell or instance
 * @param name {@code namespace/name} of a pod
 * @param facts in order of reading
 * @param proof each part of the proof of ownership, checked by itself; empty if there is no instance
 * @param next what happens next and why
 * @param events the latest ones about it, oldest first
 */
public record Account(
        String kind,
        String name,
        ImmutableList<Fact> facts,
        ImmutableList<Check> proof,
        ImmutableList<String> next,
        ImmutableList<String> events) {

    /** A line. */
    public record Fact(String label, String text) {}

    /** One part of the proof. */
    public record Check(Verdict verdict, String text) {}

    /** What a check came to. */
    public enum Verdict {
        YES,
        NO,
        /** What it takes was not at hand. */
        UNKNOWN
    }
}
