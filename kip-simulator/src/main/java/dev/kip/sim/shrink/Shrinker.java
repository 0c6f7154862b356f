package dev.kip.sim.shrink;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.Signature;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Knob;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Cuts a story down: whole kinds of faults, single faults, steps, what the world has more than it needs, knobs, the drawn
 * order, and times, in this order and again until nothing more can go. A cut is kept if the same invariant fails (or the same
 * step or expectation in the same way) and, when a bug was planted, the story passes without it.
 */
public final class Shrinker {

    private static final int ROUNDS = 4;
    private static final String STEPS = "steps";
    private static final String FAULTS = "faults";
    private static final String EXPECT = "expect";
    private static final String GIVEN = "given";
    private static final String KNOBS = "knobs";

    private final Signature signature;
    private final BooleanSupplier enough;
    private final Map<String, Boolean> known = new LinkedHashMap<>();
    private Replay best;
    private int tries;

    private Shrinker(Replay replay, Signature signature, BooleanSupplier enough) {
        this.best = replay;
        this.signature = signature;
        this.enough = enough;
    }

    /**
     * What came of it.
     *
     * @param replay the shortest that was found, with how it fails
     * @param tries stories that were told
     * @param whole whether nothing more could go; false if there was no time left
     */
    public record Result(Replay replay, int stepsBefore, int stepsAfter, int tries, boolean whole) {}

    /**
     * @param replay fails when it is told
     * @param enough whether to stop; asked between two stories
     * @return empty if it does not fail, or with a planted bug fails without it too
     */
    public static Optional<Result> shrink(Replay replay, BooleanSupplier enough) {
        Outcomes outcomes = replay.tell(false);
        if (outcomes.passed()) {
            return Optional.empty();
        }
        Replay failing = Replay.of(replay.story(), outcomes, replay.plant());
        Shrinker shrinker = new Shrinker(failing, failing.signature().orElseThrow(), enough);
        if (!shrinker.fails(failing)) {
            return Optional.empty();
        }
        return Optional.of(shrinker.run(failing, outcomes));
    }

    private Result run(Replay before, Outcomes outcomes) {
        tail(outcomes);
        String last = "";
        for (int round = 0; round < ROUNDS && !last.equals(best.story().text()); round++) {
            last = best.story().text();
            kinds();
            list(FAULTS);
            list(STEPS);
            world();
            knobs();
            arguments();
            times();
        }
        Outcomes now = best.tell(false);
        return new Result(
                Replay.of(best.story(), now, best.plant()),
                before.story().items(STEPS).size(),
                best.story().items(STEPS).size(),
                tries,
                !enough.getAsBoolean());
    }

    private boolean fails(Replay candidate) {
        Boolean before = known.get(candidate.story().text());
        if (before != null) {
            return before;
        }
        boolean fails = told(candidate);
        known.put(candidate.story().text(), fails);
        return fails;
    }

    private boolean told(Replay candidate) {
        try {
            candidate.story().scenario();
        } catch (YamlProblem notAStory) {
            return false;
        }
        tries++;
        Outcomes outcomes = candidate.tell(false);
        if (outcomes.passed() || !signature.isOf(outcomes.problems().get(0))) {
            return false;
        }
        return candidate.plant().isEmpty()
                || candidate.withoutPlant().tell(false).passed();
    }

    /** Takes the cut if it still fails. */
    private boolean attempt(StoryFile story) {
        if (enough.getAsBoolean() || story.text().equals(best.story().text())) {
            return false;
        }
        Replay candidate = best.with(story);
        if (fails(candidate)) {
            best = candidate;
            return true;
        }
        return false;
    }

    /** What comes after the failure was never told; expectations count only if one of them failed. */
    private void tail(Outcomes outcomes) {
        String id = outcomes.problems().get(0).id();
        if (id.startsWith("expect ")) {
            int index = Integer.parseInt(id.substring("expect ".length())) - 1;
            ImmutableList<Yaml> all = best.story().items(EXPECT);
            attempt(best.story().withItems(EXPECT, ImmutableList.of(all.get(index))));
            return;
        }
        attempt(best.story().withItems(EXPECT, ImmutableList.of()));
        int shortest = 1;
        int longest = best.story().items(STEPS).size();
        if (id.startsWith("step ")) {
            longest = Integer.parseInt(id.substring("step ".length()));
            attempt(best.story().withItems(STEPS, best.story().items(STEPS).subList(0, longest)));
            return;
        }
        ImmutableList<Yaml> all = best.story().items(STEPS);
        while (shortest < longest) {
            int middle = (shortest + longest) / 2;
            if (attempt(best.story().withItems(STEPS, all.subList(0, middle)))) {
                longest = middle;
            } else {
                shortest = middle + 1;
            }
        }
    }

    /** All faults, all of one kind, all steps of one word. */
    private void kinds() {
        attempt(best.story().withItems(FAULTS, ImmutableList.of()));
        for (String what : words(FAULTS, "do")) {
            attempt(best.story().withItems(FAULTS, without(FAULTS, item -> what.equals(value(item, "do")))));
        }
        for (String word : words(STEPS, "")) {
            attempt(best.story().withItems(STEPS, without(STEPS, item -> word.equals(firstKey(item)))));
        }
    }

    private ImmutableList<Yaml> without(String section, java.util.function.Predicate<Yaml> out) {
        return best.story().items(section).stream().filter(out.negate()).collect(ImmutableList.toImmutableList());
    }

    /** @param key whose values are meant; empty for the first key itself */
    private Set<String> words(String section, String key) {
        Set<String> words = new LinkedHashSet<>();
        best.story().items(section).forEach(item -> words.add(key.isEmpty() ? firstKey(item) : value(item, key)));
        return words;
    }

    private static String firstKey(Yaml item) {
        return item instanceof Yaml.Mapping map && !map.entries().isEmpty()
                ? map.entries().keySet().iterator().next()
                : "";
    }

    private static String value(Yaml item, String key) {
        return item instanceof Yaml.Mapping map && map.entries().get(key) instanceof Yaml.Scalar scalar
                ? scalar.text()
                : "";
    }

    /** Drops pieces of the list, halves first and single items last (delta debugging, Zeller and Hildebrandt, 2002). */
    private void list(String section) {
        int size = Math.max(1, best.story().items(section).size() / 2);
        while (true) {
            boolean cut = false;
            for (int end = best.story().items(section).size(); end > 0; end -= size) {
                ImmutableList<Yaml> items = best.story().items(section);
                int to = Math.min(end, items.size());
                int from = Math.max(0, to - size);
                ImmutableList<Yaml> rest = ImmutableList.<Yaml>builder()
                        .addAll(items.subList(0, from))
                        .addAll(items.subList(to, items.size()))
                        .build();
                cut |= attempt(best.story().withItems(section, rest));
            }
            if (size == 1 && !cut) {
                return;
            }
            size = Math.max(1, size / 2);
        }
    }

    /** As little world as will do: one cluster, one controller, no DaemonSets, no configuration; one of each thing. */
    private void world() {
        attempt(best.story().with(GIVEN, Optional.empty()));
        for (String key : ImmutableList.copyOf(best.story().entries(GIVEN).keySet())) {
            if (!key.equals(KNOBS)) {
                attempt(best.story().withEntry(GIVEN, key, Optional.empty()));
            }
        }
        ImmutableList.of("config").forEach(this::entries);
        for (int most = 9; most > 1; most--) {
            String many = Integer.toString(most);
            attempt(Edits.everywhere(best.story(), ImmutableList.of("replicas", "count"), many, "1"));
            attempt(Edits.everywhere(best.story(), ImmutableList.of("replicas"), many, "1"));
        }
    }

    private void entries(String of) {
        if (best.story().entries(GIVEN).get(of) instanceof Yaml.Mapping map) {
            for (String key : map.entries().keySet()) {
                attempt(Edits.withoutEntry(best.story(), GIVEN, of, key));
            }
        }
    }

    /** To what is usual, and the order of one moment last. */
    private void knobs() {
        attempt(best.story().withEntry(GIVEN, KNOBS, Optional.empty()));
        for (Knob knob : Knob.values()) {
            attempt(Edits.withoutEntry(best.story(), GIVEN, KNOBS, knob.word()));
        }
    }

    /** What a step or fault says beside what it is about. */
    private void arguments() {
        for (String section : ImmutableList.of(STEPS, FAULTS)) {
            for (int i = 0; i < best.story().items(section).size(); i++) {
                for (String key : Edits.optionalKeys(best.story().items(section).get(i))) {
                    attempt(Edits.withoutKey(best.story(), section, i, key));
                }
            }
        }
    }

    /** To round values, small ones first. */
    private void times() {
        for (String section : ImmutableList.of(STEPS, FAULTS)) {
            for (int i = 0; i < best.story().items(section).size(); i++) {
                for (Edits.Time time : Edits.times(best.story().items(section).get(i))) {
                    for (String round : time.rounder()) {
                        if (attempt(Edits.withTime(best.story(), section, i, time, round))) {
                            break;
                        }
                    }
                }
            }
        }
    }
}
