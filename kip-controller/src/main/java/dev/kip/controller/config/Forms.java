package dev.kip.controller.config;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.quantity.Quantities;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The forms that values of provider.yaml have. */
final class Forms {

    private static final Pattern AMOUNT = Pattern.compile("[0-9]{1,7}(\\.[0-9]{1,6})?");
    private static final BigDecimal LEAST_AMOUNT = new BigDecimal("0.0001");
    private static final BigDecimal MOST_AMOUNT = new BigDecimal(1_000_000);
    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
    private static final Pattern DURATION = Pattern.compile("(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");

    private Forms() {}

    /**
     * A scalar.
     *
     * @param parse throws IllegalArgumentException that says what was found and wanted
     */
    static <T> Form<T> scalar(String wanted, Function<Yaml.Scalar, T> parse, Function<T, String> show) {
        return new Form<>() {
            @Override
            public Optional<T> read(Yaml found, String key, Sink problems) {
                if (!(found instanceof Yaml.Scalar scalar)) {
                    problems.add(found.line(), key, "found " + found.found() + ", wanted " + wanted + ".");
                    return Optional.empty();
                }
                if (scalar.isNull()) {
                    problems.add(
                            found.line(),
                            key,
                            "has no value, wanted " + wanted + ". To have the default, leave the line out.");
                    return Optional.empty();
                }
                try {
                    return Optional.of(parse.apply(scalar));
                } catch (IllegalArgumentException e) {
                    problems.add(found.line(), key, String.valueOf(e.getMessage()));
                    return Optional.empty();
                }
            }

            @Override
            public String wanted() {
                return wanted;
            }

            @Override
            public String show(T value) {
                return show.apply(value);
            }
        };
    }

    /** @param check throws IllegalArgumentException that says what was found and wanted */
    static Form<String> text(String wanted, Function<String, String> check) {
        return scalar(
                wanted,
                scalar -> {
                    if (scalar.plain()
                            && (isBoolean(scalar.text())
                                    || NUMBER.matcher(scalar.text()).matches())) {
                        throw new IllegalArgumentException("found the bare " + scalar.text() + ", wanted " + wanted
                                + ". If that is a text, put it in quotes.");
                    }
                    if (scalar.text().isBlank()) {
                        throw new IllegalArgumentException(
                                "is empty, wanted " + wanted + ". To have the default, leave the line out.");
                    }
                    return check.apply(scalar.text());
                },
                Forms::quotedWhereNeeded);
    }

    static Form<Boolean> bool() {
        return scalar(
                "true or false",
                scalar -> {
                    if (!scalar.plain() || !isBoolean(scalar.text())) {
                        throw new IllegalArgumentException(
                                "\"" + scalar.text() + "\" is neither true nor false; write one of them.");
                    }
                    return scalar.text().equals("true");
                },
                value -> Boolean.toString(value));
    }

    static Form<Integer> whole(int least, int most) {
        String wanted = "a whole number from " + least + " to " + most;
        return scalar(
                wanted,
                scalar -> {
                    if (scalar.plain() && scalar.text().matches("[-+]?[0-9]{1,10}")) {
                        long value = Long.parseLong(scalar.text());
                        if (value >= least && value <= most) {
                            return (int) value;
                        }
                    }
                    throw refused(scalar, wanted);
                },
                value -> Integer.toString(value));
    }

    static Form<Duration> duration(Duration least, Duration most) {
        String wanted = "a duration such as 30s, 5m or 1m30s, from " + show(least) + " to " + show(most);
        return scalar(
                wanted,
                scalar -> {
                    Matcher parts = DURATION.matcher(scalar.text());
                    if (scalar.text().isEmpty() || !parts.matches()) {
                        throw refused(scalar, wanted);
                    }
                    Duration value;
                    try {
                        value = Duration.ofHours(number(parts.group(1)))
                                .plusMinutes(number(parts.group(2)))
                                .plusSeconds(number(parts.group(3)))
                                .plusMillis(number(parts.group(4)));
                    } catch (ArithmeticException e) {
                        throw refused(scalar, wanted);
                    }
                    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                        throw refused(scalar, wanted);
                    }
                    return value;
                },
                Forms::show);
    }

    /** Unlike other texts it may be empty. */
    static Form<String> labelValue() {
        return scalar(
                "a label's value",
                scalar -> {
                    if (scalar.plain()
                            && (isBoolean(scalar.text())
                                    || NUMBER.matcher(scalar.text()).matches())) {
                        throw new IllegalArgumentException("found the bare " + scalar.text()
                                + ", wanted a label's value, which is a text. Put it in quotes.");
                    }
                    return ValueChecks.labelValue(scalar.text());
                },
                Forms::quotedWhereNeeded);
    }

    /** One of the words, by case as written. */
    static <E extends Enum<E>> Form<E> choice(ImmutableMap<String, E> words) {
        String wanted = "one of " + String.join(", ", words.keySet());
        return scalar(
                wanted,
                scalar -> {
                    E chosen = words.get(scalar.text());
                    if (chosen == null) {
                        throw new IllegalArgumentException("\"" + scalar.text() + "\" is none of "
                                + String.join(", ", words.keySet()) + "."
                                + Suggestion.didYouMean(scalar.text(), words.keySet()));
                    }
                    return chosen;
                },
                value -> words.entrySet().stream()
                        .filter(word -> word.getValue() == value)
                        .map(Map.Entry::getKey)
                        .collect(Collectors.joining()));
    }

    /** A quantity of 0 or more, as written. */
    static Form<String> quantity(String example, Function<String, String> check) {
        String wanted = "a quantity such as " + example;
        return scalar(
                wanted,
                scalar -> {
                    if (scalar.text().isEmpty()) {
                        throw new IllegalArgumentException(
                                "is empty, wanted " + wanted + ". To have the default, leave the line out.");
                    }
                    var unused = Quantities.parseNonNegative(scalar.text());
                    return check.apply(scalar.text());
                },
                value -> value);
    }

    /** An amount of money above 0, as written. */
    static Form<String> dollars() {
        String wanted = "an amount in USD such as 2.50, from 0.0001 to 1000000";
        return scalar(
                wanted,
                scalar -> {
                    if (!AMOUNT.matcher(scalar.text()).matches()) {
                        throw refused(scalar, wanted);
                    }
                    BigDecimal amount = new BigDecimal(scalar.text());
                    if (amount.compareTo(LEAST_AMOUNT) < 0 || amount.compareTo(MOST_AMOUNT) > 0) {
                        throw refused(scalar, wanted);
                    }
                    return scalar.text();
                },
                value -> value);
    }

    static <T> Form<Optional<T>> optional(Form<T> form) {
        return new Form<>() {
            @Override
            public Optional<Optional<T>> read(Yaml found, String key, Sink problems) {
                Optional<T> value = form.read(found, key, problems);
                return value.isPresent() ? Optional.of(value) : Optional.empty();
            }

            @Override
            public String wanted() {
                return form.wanted();
            }

            @Override
            public String show(Optional<T> value) {
                return value.map(form::show).orElse("");
            }
        };
    }

    static <T> Form<ImmutableList<T>> listOf(Form<T> form) {
        return new Form<>() {
            @Override
            public Optional<ImmutableList<T>> read(Yaml found, String key, Sink problems) {
                if (!(found instanceof Yaml.Sequence sequence)) {
                    problems.add(
                            found.line(),
                            key,
                            "found " + found.found() + ", wanted a list. Write each item on a line of its own,"
                                    + " after \"- \".");
                    return Optional.empty();
                }
                ImmutableList.Builder<T> items = ImmutableList.builder();
                boolean whole = true;
                for (int i = 0; i < sequence.items().size(); i++) {
                    Optional<T> item = form.read(sequence.items().get(i), key + "[" + i + "]", problems);
                    item.ifPresent(items::add);
                    whole &= item.isPresent();
                }
                return whole ? Optional.of(items.build()) : Optional.empty();
            }

            @Override
            public String wanted() {
                return "a list, each item " + form.wanted();
            }

            @Override
            public String show(ImmutableList<T> value) {
                return value.stream().map(form::show).collect(Collectors.joining(", ", "[", "]"));
            }
        };
    }

    /**
     * Words to values, in the order written.
     *
     * @param checkWord throws IllegalArgumentException that says what was found and wanted
     */
    static Form<ImmutableMap<String, String>> mapOf(
            String wantedWord, Function<String, String> checkWord, Form<String> form) {
        return new Form<>() {
            @Override
            public Optional<ImmutableMap<String, String>> read(Yaml found, String key, Sink problems) {
                if (!(found instanceof Yaml.Mapping mapping)) {
                    problems.add(found.line(), key, "found " + found.found() + ", wanted " + wanted() + ".");
                    return Optional.empty();
                }
                Map<String, String> entries = new LinkedHashMap<>();
                boolean whole = true;
                for (Map.Entry<String, Yaml> entry : mapping.entries().entrySet()) {
                    String path = key + "." + entry.getKey();
                    try {
                        var unused = checkWord.apply(entry.getKey());
                    } catch (IllegalArgumentException e) {
                        problems.add(
                                mapping.keyLines().getOrDefault(entry.getKey(), mapping.line()),
                                path,
                                String.valueOf(e.getMessage()));
                        whole = false;
                    }
                    Optional<String> value = form.read(entry.getValue(), path, problems);
                    value.ifPresent(text -> entries.put(entry.getKey(), text));
                    whole &= value.isPresent();
                }
                return whole ? Optional.of(ImmutableMap.copyOf(entries)) : Optional.empty();
            }

            @Override
            public String wanted() {
                return "a map from " + wantedWord + " to " + form.wanted();
            }

            @Override
            public String show(ImmutableMap<String, String> value) {
                return value.entrySet().stream()
                        .map(entry -> quotedWhereNeeded(entry.getKey()) + ": " + form.show(entry.getValue()))
                        .collect(Collectors.joining(", ", "{", "}"));
            }
        };
    }

    /** A check for {@link #text} by a pattern. */
    static Function<String, String> matching(String pattern, String wanted) {
        Pattern compiled = Pattern.compile(pattern);
        return text -> {
            if (text.equals("FILL_IN")) {
                throw new IllegalArgumentException(
                        "still says FILL_IN; give " + wanted + ", or leave the line out to have the default.");
            }
            if (!compiled.matcher(text).matches()) {
                throw new IllegalArgumentException("\"" + text + "\" is not " + wanted + ".");
            }
            return text;
        };
    }

    static String show(Duration value) {
        String text = (value.toHours() > 0 ? value.toHours() + "h" : "")
                + (value.toMinutesPart() > 0 ? value.toMinutesPart() + "m" : "")
                + (value.toSecondsPart() > 0 ? value.toSecondsPart() + "s" : "")
                + (value.toMillisPart() > 0 ? value.toMillisPart() + "ms" : "");
        return text.isEmpty() ? "0s" : text;
    }

    private static IllegalArgumentException refused(Yaml.Scalar found, String wanted) {
        return new IllegalArgumentException("\"" + found.text() + "\" is not " + wanted + ".");
    }

    private static boolean isBoolean(String text) {
        return text.equals("true") || text.equals("false");
    }

    private static long number(@Nullable String digits) {
        if (digits == null) {
            return 0;
        }
        return digits.length() > 12 ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    private static String quotedWhereNeeded(String text) {
        boolean plain = text.matches("[A-Za-z][A-Za-z0-9._/=-]*") && !isBoolean(text) && !text.equals("null");
        return plain ? text : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
