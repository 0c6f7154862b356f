package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A map of a scenario file being read: every key is asked for, and one that nobody asked for is an error. */
final class Phrase {

    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h)");

    private final String file;
    private final String name;
    private final Yaml.Mapping map;

    private Phrase(String file, String name, Yaml.Mapping map) {
        this.file = file;
        this.name = name;
        this.map = map;
    }

    static Phrase of(String file, String name, Yaml node) throws YamlProblem {
        if (node instanceof Yaml.Mapping map) {
            return new Phrase(file, name, map);
        }
        throw new YamlProblem(file, node.line(), name + ": a map was expected, not " + node.found());
    }

    /** The first key: what an expectation is about. */
    static String firstKey(String file, String name, Yaml node) throws YamlProblem {
        if (node instanceof Yaml.Mapping map && !map.entries().isEmpty()) {
            return map.entries().keySet().iterator().next();
        }
        throw new YamlProblem(
                file, node.line(), name + ": a word with what it is about was expected, such as \"cells: none\"");
    }

    /** The only key of a map such as {@code apply: {...}}. */
    static String onlyKey(String file, String name, Yaml node) throws YamlProblem {
        if (node instanceof Yaml.Mapping map && map.entries().size() == 1) {
            return map.entries().keySet().iterator().next();
        }
        throw new YamlProblem(
                file, node.line(), name + ": one word with what it is about was expected, such as \"wait: 10s\"");
    }

    int line() {
        return map.line();
    }

    /** @throws YamlProblem for the first key that is not among {@code known} */
    Phrase allow(String... known) throws YamlProblem {
        return allow(ImmutableList.copyOf(known));
    }

    /** @throws YamlProblem for the first key that is not among {@code words} */
    Phrase allow(ImmutableList<String> words) throws YamlProblem {
        for (String key : map.entries().keySet()) {
            if (!words.contains(key)) {
                throw new YamlProblem(
                        file,
                        line(key),
                        name + ": \"" + key + "\" is not known here." + Suggestion.didYouMean(key, words) + " Known: "
                                + String.join(", ", words));
            }
        }
        return this;
    }

    boolean has(String key) {
        return map.entries().containsKey(key);
    }

    Optional<Yaml> node(String key) {
        return Optional.ofNullable(map.entries().get(key));
    }

    String text(String key) throws YamlProblem {
        return optional(key).orElseThrow(() -> problem(map.line(), key, "is missing"));
    }

    Optional<String> optional(String key) throws YamlProblem {
        Yaml node = map.entries().get(key);
        if (node == null) {
            return Optional.empty();
        }
        if (node instanceof Yaml.Scalar scalar) {
            return Optional.of(scalar.text());
        }
        throw problem(node.line(), key, "must be a word, not " + node.found());
    }

    int number(String key, int otherwise) throws YamlProblem {
        Optional<String> text = optional(key);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            return Integer.parseInt(text.get());
        } catch (NumberFormatException e) {
            throw problem(line(key), key, "must be a whole number, not \"" + text.get() + "\"");
        }
    }

    /** A number, or {@code none} for 0. */
    int count(String key) throws YamlProblem {
        return optional(key).filter(text -> text.equals("none")).isPresent() ? 0 : number(key, 0);
    }

    /** The key has this value; any other is an error. */
    Phrase constant(String key, String only) throws YamlProblem {
        String text = text(key);
        if (!text.equals(only)) {
            throw problem(line(key), key, "can only be \"" + only + "\", not \"" + text + "\"");
        }
        return this;
    }

    boolean onOff(String key, boolean otherwise) throws YamlProblem {
        Optional<String> text = optional(key);
        if (text.isEmpty()) {
            return otherwise;
        }
        return switch (text.get()) {
            case "on", "true" -> true;
            case "off", "false" -> false;
            default -> throw problem(line(key), key, "must be on or off, not \"" + text.get() + "\"");
        };
    }

    /**
     * What one of these words means.
     *
     * @param otherwise the word that is meant when there is none; empty if there must be one
     */
    <T> T choice(String key, ImmutableMap<String, T> words, String otherwise) throws YamlProblem {
        String text = otherwise.isEmpty() ? text(key) : optional(key).orElse(otherwise);
        T meant = words.get(text);
        if (meant == null) {
            throw problem(
                    line(key),
                    key,
                    "\"" + text + "\" is not known here." + Suggestion.didYouMean(text, words.keySet()) + " Known: "
                            + String.join(", ", words.keySet()));
        }
        return meant;
    }

    Duration duration(String key, Duration otherwise) throws YamlProblem {
        Optional<String> text = optional(key);
        return text.isEmpty() ? otherwise : duration(file, line(key), name + "." + key, text.get());
    }

    /** A time that may be negative: {@code -1h}. */
    Duration signedDuration(String key) throws YamlProblem {
        String text = text(key);
        return text.startsWith("-")
                ? duration(file, line(key), name + "." + key, text.substring(1)).negated()
                : duration(file, line(key), name + "." + key, text);
    }

    static Duration duration(String file, int line, String name, String text) throws YamlProblem {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new YamlProblem(file, line, name + ": \"" + text + "\" is no time; write 500ms, 90s, 5m or 2h");
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
        };
    }

    ImmutableList<String> words(String key) throws YamlProblem {
        Yaml node = map.entries().get(key);
        if (node == null) {
            return ImmutableList.of();
        }
        if (!(node instanceof Yaml.Sequence sequence)) {
            throw problem(node.line(), key, "must be a list, not " + node.found());
        }
        ImmutableList.Builder<String> words = ImmutableList.builder();
        for (Yaml item : sequence.items()) {
            if (!(item instanceof Yaml.Scalar scalar)) {
                throw problem(item.line(), key, "must be a list of words, not of " + item.found());
            }
            words.add(scalar.text());
        }
        return words.build();
    }

    ImmutableMap<String, String> texts(String key) throws YamlProblem {
        Yaml node = map.entries().get(key);
        if (node == null) {
            return ImmutableMap.of();
        }
        Phrase inner = of(file, name + "." + key, node);
        ImmutableMap.Builder<String, String> texts = ImmutableMap.builder();
        for (String word : inner.map.entries().keySet()) {
            texts.put(word, inner.text(word));
        }
        return texts.buildOrThrow();
    }

    YamlProblem problem(int line, String key, String what) {
        return new YamlProblem(file, line, name + "." + key + ": " + what);
    }

    int line(String key) {
        Integer line = map.keyLines().get(key);
        return line == null ? map.line() : line;
    }
}
