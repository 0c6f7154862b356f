package dev.kip.sim.ec2;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Parameters of the EC2 Query protocol: a flat map whose dotted names spell a tree, lists numbered from 1. */
final class Params {

    private static final Splitter PAIRS = Splitter.on('&').omitEmptyStrings();

    private final ImmutableMap<String, String> values;

    Params(Map<String, String> values) {
        this.values = ImmutableMap.copyOf(values);
    }

    static Params ofForm(String form) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String pair : PAIRS.split(form)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? "" : pair.substring(equals + 1);
            values.put(decode(name), decode(value));
        }
        return new Params(values);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Ec2Failure("MalformedQueryString", "The query string contains a syntax error.");
        }
    }

    ImmutableMap<String, String> values() {
        return values;
    }

    Optional<String> optional(String name) {
        return Optional.ofNullable(values.get(name)).filter(value -> !value.isEmpty());
    }

    String required(String name) {
        return optional(name).orElseThrow(() -> Ec2Failure.missing(name));
    }

    boolean isTrue(String name) {
        return optional(name).filter(value -> value.equalsIgnoreCase("true")).isPresent();
    }

    Optional<Integer> integer(String name) {
        return optional(name).map(value -> {
            try {
                return Integer.valueOf(value);
            } catch (NumberFormatException e) {
                throw Ec2Failure.invalidValue("Invalid value '" + value + "' for " + name + ". Must be an integer.");
            }
        });
    }

    boolean has(String prefix) {
        return values.containsKey(prefix) || values.keySet().stream().anyMatch(name -> name.startsWith(prefix + "."));
    }

    /** {@code prefix.1}, {@code prefix.2}, ... in the order of their numbers. */
    ImmutableList<String> list(String prefix) {
        TreeMap<Integer, String> found = new TreeMap<>();
        values.forEach((name, value) -> index(name, prefix)
                .filter(index -> name.length()
                        == prefix.length() + 1 + String.valueOf(index).length())
                .ifPresent(index -> found.put(index, value)));
        return ImmutableList.copyOf(found.values());
    }

    /** The members below {@code prefix.1}, {@code prefix.2}, ... */
    ImmutableList<Params> children(String prefix) {
        TreeMap<Integer, Map<String, String>> found = new TreeMap<>();
        values.forEach((name, value) -> index(name, prefix).ifPresent(index -> {
            int start = prefix.length() + 1 + String.valueOf(index).length() + 1;
            if (start < name.length()) {
                found.computeIfAbsent(index, any -> new LinkedHashMap<>()).put(name.substring(start), value);
            }
        }));
        return found.values().stream().map(Params::new).collect(ImmutableList.toImmutableList());
    }

    /** The members below {@code prefix.}. */
    Params below(String prefix) {
        Map<String, String> found = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(prefix + ".")) {
                found.put(name.substring(prefix.length() + 1), value);
            }
        });
        return new Params(found);
    }

    /** These, and of {@code base} whatever top-level member these do not mention. */
    Params over(Params base) {
        Map<String, String> merged = new LinkedHashMap<>();
        base.values.forEach((name, value) -> {
            if (!has(topLevel(name))) {
                merged.put(name, value);
            }
        });
        merged.putAll(values);
        return new Params(merged);
    }

    /** The same whatever the order of the names; for telling whether two requests are alike. */
    String canonical(List<String> without) {
        Map<String, String> sorted = new TreeMap<>(values);
        without.forEach(sorted::remove);
        return sorted.toString();
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    static String topLevel(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    private static Optional<Integer> index(String name, String prefix) {
        if (!name.startsWith(prefix + ".")) {
            return Optional.empty();
        }
        int end = name.indexOf('.', prefix.length() + 1);
        String digits = name.substring(prefix.length() + 1, end < 0 ? name.length() : end);
        return digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9') || digits.length() > 6
                ? Optional.empty()
                : Optional.of(Integer.valueOf(digits));
    }
}
