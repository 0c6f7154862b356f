package dev.kip.sim.shrink;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.replay.StoryFile;
import dev.kip.yaml.Yaml;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Small changes of a story's file. */
final class Edits {

    private static final Pattern TIME = Pattern.compile("(-?)(\\d{1,12})(ms|s|m|h)");
    private static final ImmutableList<String> ROUND = ImmutableList.of(
            "0s", "1s", "2s", "5s", "10s", "20s", "30s", "1m", "2m", "3m", "5m", "10m", "20m", "30m", "1h", "2h");

    private Edits() {}

    /**
     * A time in an item.
     *
     * @param key of the inner map; empty if the item is {@code wait: TIME}
     */
    record Time(String key, String text) {

        /** Rounder ones to try: the least one, the next below, the next above; none if it is round already. */
        ImmutableList<String> rounder() {
            Matcher matcher = TIME.matcher(text);
            if (!matcher.matches() || ROUND.indexOf(text) == 1) {
                return ImmutableList.of();
            }
            String sign = matcher.group(1);
            long millis = millis(matcher);
            List<String> tries = new ArrayList<>();
            String below = "";
            String above = "";
            for (String round : ROUND) {
                Matcher known = TIME.matcher(round);
                if (known.matches()) {
                    long length = millis(known);
                    if (length < millis) {
                        below = round;
                    } else if (length > millis && above.isEmpty()) {
                        above = round;
                    }
                }
            }
            tries.add("1s");
            if (!ROUND.contains(text.substring(sign.length()))) {
                tries.add(below);
                tries.add(above);
            }
            return tries.stream()
                    .filter(round -> !round.isEmpty())
                    .map(round -> sign + round)
                    .distinct()
                    .collect(ImmutableList.toImmutableList());
        }

        private static long millis(Matcher time) {
            long amount = Long.parseLong(time.group(2));
            return switch (time.group(3)) {
                case "ms" -> amount;
                case "s" -> amount * 1_000;
                case "m" -> amount * 60_000;
                default -> amount * 3_600_000;
            };
        }
    }

    /** The times of a step or fault, deadlines apart. */
    static ImmutableList<Time> times(Yaml item) {
        ImmutableList.Builder<Time> times = ImmutableList.builder();
        if (item instanceof Yaml.Mapping outer) {
            outer.entries().forEach((word, value) -> {
                if (value instanceof Yaml.Mapping inner) {
                    inner.entries().forEach((key, text) -> add(times, key, text));
                } else if (outer.entries().size() == 1) {
                    add(times, "", value);
                } else {
                    add(times, word, value);
                }
            });
        }
        return times.build();
    }

    private static void add(ImmutableList.Builder<Time> times, String key, Yaml value) {
        if (!key.equals("within")
                && value instanceof Yaml.Scalar scalar
                && TIME.matcher(scalar.text()).matches()) {
            times.add(new Time(key, scalar.text()));
        }
    }

    static StoryFile withTime(StoryFile story, String section, int item, Time time, String value) {
        return withItem(story, section, item, old -> {
            Yaml.Mapping outer = (Yaml.Mapping) old;
            if (outer.entries().containsKey(time.key())) {
                return with(outer, time.key(), Optional.of(StoryFile.word(value)));
            }
            String word = outer.entries().keySet().iterator().next();
            return outer.entries().get(word) instanceof Yaml.Mapping inner
                    ? with(outer, word, Optional.of(with(inner, time.key(), Optional.of(StoryFile.word(value)))))
                    : with(outer, word, Optional.of(StoryFile.word(value)));
        });
    }

    /** Keys of the inner map but the first; of a fault, which has no inner map, those that it can do without. */
    static ImmutableList<String> optionalKeys(Yaml item) {
        if (!(item instanceof Yaml.Mapping outer) || outer.entries().isEmpty()) {
            return ImmutableList.of();
        }
        Yaml inner = outer.entries().values().iterator().next();
        if (outer.entries().size() == 1 && inner instanceof Yaml.Mapping map) {
            return map.entries()
                    .keySet()
                    .asList()
                    .subList(Math.min(1, map.entries().size()), map.entries().size());
        }
        return outer.entries().size() == 1
                ? ImmutableList.of()
                : outer.entries().keySet().asList();
    }

    static StoryFile withoutKey(StoryFile story, String section, int item, String key) {
        return withItem(story, section, item, old -> {
            Yaml.Mapping outer = (Yaml.Mapping) old;
            String word = outer.entries().keySet().iterator().next();
            return outer.entries().size() == 1 && outer.entries().get(word) instanceof Yaml.Mapping inner
                    ? with(outer, word, Optional.of(with(inner, key, Optional.empty())))
                    : with(outer, key, Optional.empty());
        });
    }

    static StoryFile withoutEntry(StoryFile story, String section, String of, String key) {
        return story.entries(section).get(of) instanceof Yaml.Mapping map
                ? story.withEntry(
                        section,
                        of,
                        map.entries().size() == 1 && map.entries().containsKey(key)
                                ? Optional.empty()
                                : Optional.of(with(map, key, Optional.empty())))
                : story;
    }

    /** Each of these keys, in steps, that has the value {@code from} has {@code to}. */
    static StoryFile everywhere(StoryFile story, ImmutableList<String> keys, String from, String to) {
        return story.withItems(
                "steps",
                story.items("steps").stream()
                        .map(item -> replaced(item, keys, from, to))
                        .collect(ImmutableList.toImmutableList()));
    }

    private static Yaml replaced(Yaml yaml, ImmutableList<String> keys, String from, String to) {
        if (!(yaml instanceof Yaml.Mapping map)) {
            return yaml;
        }
        Map<String, Yaml> entries = new LinkedHashMap<>();
        map.entries().forEach((key, value) -> {
            boolean meant = keys.contains(key)
                    && value instanceof Yaml.Scalar scalar
                    && scalar.text().equals(from);
            entries.put(key, meant ? StoryFile.word(to) : replaced(value, keys, from, to));
        });
        return StoryFile.map(entries);
    }

    private static StoryFile withItem(StoryFile story, String section, int item, UnaryOperator<Yaml> edit) {
        List<Yaml> items = new ArrayList<>(story.items(section));
        items.set(item, edit.apply(items.get(item)));
        return story.withItems(section, ImmutableList.copyOf(items));
    }

    private static Yaml.Mapping with(Yaml.Mapping map, String key, Optional<Yaml> value) {
        Map<String, Yaml> entries = new LinkedHashMap<>(map.entries());
        value.ifPresentOrElse(present -> entries.put(key, present), () -> entries.remove(key));
        return StoryFile.map(entries);
    }
}
