package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.replay.StoryFile;
import dev.kip.yaml.Yaml;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What of a story a world in wall time cannot carry. Known from its words, before anything is started. */
public final class Carriage {

    private static final String CLOCK = "processes share this machine's clock";
    private static final String QUEUE = "no queue of EC2's events is there";
    private static final String LIMITS = "the emulated EC2 has no such limits";
    private static final String CATALOGUE = "the catalogue's faults strike the simulated network";
    private static final String ONE_CLUSTER = "there is one cluster";
    private static final String NAMED = "ids of the simulated EC2 are named";
    private static final String CELLS = "requests to cells are encrypted, and are not looked into";

    /** Steps that are never carried. */
    private static final ImmutableMap<String, String> STEPS = ImmutableMap.<String, String>builder()
            .put("hold", "watches are not delayed")
            .put("suspend", CLOCK)
            .put("skew", CLOCK)
            .put("inject", CATALOGUE)
            .put("clone", ONE_CLUSTER)
            .put("destroy", "a world in wall time keeps its cluster")
            .put("neighbour", LIMITS)
            .put("quota", LIMITS)
            .put("lag", LIMITS)
            .put("interrupt", QUEUE)
            .put("reclaim", QUEUE)
            .put("rebalance", QUEUE)
            .put("message", QUEUE)
            .put("tagQueue", QUEUE)
            .buildOrThrow();

    /** Words of {@code given} without which nothing of the story can be told. */
    private static final ImmutableMap<String, String> WORLDS = ImmutableMap.of(
            "nodes", "machines with a kubelet of their own are simulated only",
            "clusters", ONE_CLUSTER,
            "capacityErrors", LIMITS);

    private static final ImmutableSet<String> QUEUE_KEYS =
            ImmutableSet.of("cloud.aws.eventQueueURL", "cloud.aws.eventQueueEndpointURL");
    private static final ImmutableSet<String> ID_KEYS = ImmutableSet.of("cloud.aws.vpcID", "cloud.aws.subnetID");

    private Carriage() {}

    /**
     * One thing that is not carried.
     *
     * @param where {@code step 5}, {@code expect 2}, {@code fault 1}, {@code given}
     * @param word what stands there
     * @param essential whether nothing can be told without it
     */
    public record Lack(String where, String word, String why, boolean essential) {

        @Override
        public String toString() {
            return where + ", " + word + ": " + why;
        }
    }

    /** The story as far as it can be told, and what was left out. */
    public record Told(StoryFile story, ImmutableList<Lack> lacking) {

        public boolean whole() {
            return lacking.isEmpty();
        }

        /** Whether any of it can be told. */
        public boolean possible() {
            return lacking.stream().noneMatch(Lack::essential);
        }
    }

    /** Leaves out what is not carried, and names it. */
    public static Told of(StoryFile story) {
        ImmutableList.Builder<Lack> lacking = ImmutableList.builder();
        StoryFile told = given(story, lacking);
        told = items(told, "steps", "step", Carriage::stepLacks, lacking);
        told = items(told, "faults", "fault", Carriage::faultLacks, lacking);
        told = items(told, "expect", "expect", Carriage::expectLacks, lacking);
        return new Told(told, lacking.build());
    }

    private static StoryFile given(StoryFile story, ImmutableList.Builder<Lack> lacking) {
        WORLDS.forEach((word, why) -> {
            boolean there = story.entries("given").containsKey(word)
                    && !(word.equals("clusters")
                            && text(story.entries("given"), word).equals("1"));
            if (there) {
                lacking.add(new Lack("given", word, why, true));
            }
        });
        StoryFile told = story;
        if (story.entries("given").containsKey("knobs")) {
            lacking.add(new Lack("given", "knobs", "latencies and orders are the machine's", false));
            told = told.withEntry("given", "knobs", Optional.empty());
        }
        if (text(story.entries("given"), "anchor").equals("dynamodb")) {
            lacking.add(new Lack("given", "anchor: dynamodb", "an anchor is made in S3 only", true));
        }
        entries(story.entries("given").get("config")).forEach((key, value) -> {
            if (QUEUE_KEYS.contains(key)) {
                lacking.add(new Lack("given", "config " + key, QUEUE, true));
            } else if (ID_KEYS.contains(key)) {
                lacking.add(new Lack("given", "config " + key, NAMED, true));
            }
        });
        return told;
    }

    private interface Rule {
        Optional<Lacking> lacks(Map<String, Yaml> item);
    }

    private record Lacking(String word, String why) {}

    private static StoryFile items(
            StoryFile story, String section, String name, Rule rule, ImmutableList.Builder<Lack> lacking) {
        ImmutableList.Builder<Yaml> kept = ImmutableList.builder();
        int number = 0;
        for (Yaml item : story.items(section)) {
            number++;
            String where = name + " " + number;
            Optional<Lacking> lack = rule.lacks(entries(item));
            lack.ifPresent(it -> lacking.add(new Lack(where, it.word(), it.why(), false)));
            if (lack.isEmpty()) {
                kept.add(item);
            }
        }
        return story.withItems(section, kept.build());
    }

    private static Optional<Lacking> stepLacks(Map<String, Yaml> step) {
        String word = step.keySet().stream().findFirst().orElse("");
        Map<String, Yaml> inner = entries(step.get(word));
        if (STEPS.containsKey(word)) {
            return lack(word, STEPS.get(word));
        }
        if (isElsewhere(inner)) {
            return lack(word, ONE_CLUSTER);
        }
        return switch (word) {
            case "noRoom" ->
                inner.values().stream().anyMatch(value -> !text(value).equals("*"))
                        ? lack(word + " for some types", LIMITS)
                        : Optional.empty();
            case "cut" -> cutLacks(text(inner, "from"), text(inner, "to"));
            case "start" ->
                entries(inner.get("config")).keySet().stream().anyMatch(ID_KEYS::contains)
                        ? lack(word + " with config", NAMED)
                        : Optional.empty();
            case "until" -> countLacks(word, inner, inner);
            default -> Optional.empty();
        };
    }

    private static Optional<Lacking> cutLacks(String from, String to) {
        boolean everybody = from.equals("kip*") || from.equals("kip-*");
        return switch (to) {
            case "kubernetes", "ec2" ->
                from.startsWith("kip") ? Optional.empty() : lack("cut from " + from, ONE_CLUSTER);
            case "cell/*" ->
                everybody ? Optional.empty() : lack("cut from " + from + " to cells", "cells are cut off from all");
            default -> lack("cut to " + to, "there is no way of its own to it");
        };
    }

    private static Optional<Lacking> countLacks(String word, Map<String, Yaml> inner, Map<String, Yaml> calls) {
        if (inner.containsKey("messages")) {
            return lack("messages", QUEUE);
        }
        return text(calls, "to").startsWith("cell/") ? lack(word + " calls to cells", CELLS) : Optional.empty();
    }

    private static Optional<Lacking> faultLacks(Map<String, Yaml> fault) {
        if (text(fault, "do").equals("suspend")) {
            return lack("suspend", CLOCK);
        }
        return text(fault, "to").startsWith("cell/") ? lack("to " + text(fault, "to"), CELLS) : Optional.empty();
    }

    private static Optional<Lacking> expectLacks(Map<String, Yaml> expectation) {
        if (isElsewhere(expectation)) {
            return lack(expectation.keySet().iterator().next(), ONE_CLUSTER);
        }
        return countLacks("expected", expectation, entries(expectation.get("calls")));
    }

    /** Whether it is about another cluster than the first. */
    private static boolean isElsewhere(Map<String, Yaml> phrase) {
        String cluster = text(phrase, "cluster");
        return (!cluster.isEmpty() && !cluster.equals("a"))
                || text(phrase, "controller").contains("/")
                || text(phrase, "from").contains("/");
    }

    private static Optional<Lacking> lack(String word, String why) {
        return Optional.of(new Lacking(word, why));
    }

    private static Map<String, Yaml> entries(@Nullable Yaml node) {
        return node instanceof Yaml.Mapping map ? map.entries() : ImmutableMap.of();
    }

    private static String text(Map<String, Yaml> entries, String key) {
        return text(entries.get(key));
    }

    private static String text(@Nullable Yaml node) {
        return node instanceof Yaml.Scalar scalar ? scalar.text() : "";
    }
}
