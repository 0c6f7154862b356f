package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;

/**
 * {@code Filter.N} of the Describe calls: all filters must match, of one filter any value; {@code *} and {@code ?} are
 * wildcards. A filter that the resource does not have is an error, never everything.
 *
 * @param <T> what is filtered
 */
final class Filters<T> {

    private static final int MAX_VALUES = 200;

    private final ImmutableMap<String, Function<T, Collection<String>>> known;
    private final Function<T, Map<String, String>> tags;

    Filters(ImmutableMap<String, Function<T, Collection<String>>> known, Function<T, Map<String, String>> tags) {
        this.known = known;
        this.tags = tags;
    }

    /** @throws Ec2Failure if a filter is unknown or incomplete */
    ImmutableList<T> select(Params params, Collection<T> from) {
        ImmutableList<Params> filters = params.children("Filter");
        int values =
                filters.stream().mapToInt(filter -> filter.list("Value").size()).sum();
        if (values > MAX_VALUES) {
            throw new Ec2Failure(
                    "FilterLimitExceeded", "The maximum number of filter values specified on a single call is 200");
        }
        ImmutableList<Wanted> wanted = filters.stream().map(this::wanted).collect(ImmutableList.toImmutableList());
        return from.stream()
                .filter(item -> wanted.stream().allMatch(filter -> matches(filter, item)))
                .collect(ImmutableList.toImmutableList());
    }

    private Wanted wanted(Params filter) {
        String name = filter.required("Name");
        if (!name.startsWith("tag:") && !name.equals("tag-key") && !known.containsKey(name)) {
            throw Ec2Failure.invalidValue("The filter '" + name + "' is invalid");
        }
        if (filter.list("Value").isEmpty()) {
            throw Ec2Failure.invalidValue("The filter value can not be empty");
        }
        return new Wanted(name, filter.list("Value"));
    }

    private boolean matches(Wanted filter, T item) {
        Collection<String> values = valuesOf(filter.name, item);
        return filter.patterns.stream().anyMatch(pattern -> values.stream().anyMatch(value -> matches(pattern, value)));
    }

    private Collection<String> valuesOf(String filter, T item) {
        if (filter.equals("tag-key")) {
            return tags.apply(item).keySet();
        }
        if (filter.startsWith("tag:")) {
            String value = tags.apply(item).get(filter.substring("tag:".length()));
            return value == null ? ImmutableList.of() : ImmutableList.of(value);
        }
        Function<T, Collection<String>> values = known.get(filter);
        return values == null ? ImmutableList.of() : values.apply(item);
    }

    /** Case counts. A backslash takes the next character as it is. */
    static boolean matches(String pattern, String value) {
        return matches(pattern, 0, value, 0);
    }

    private static boolean matches(String pattern, int p, String value, int v) {
        if (p == pattern.length()) {
            return v == value.length();
        }
        char c = pattern.charAt(p);
        if (c == '*') {
            for (int rest = v; rest <= value.length(); rest++) {
                if (matches(pattern, p + 1, value, rest)) {
                    return true;
                }
            }
            return false;
        }
        if (v == value.length()) {
            return false;
        }
        if (c == '\\' && p + 1 < pattern.length()) {
            return pattern.charAt(p + 1) == value.charAt(v) && matches(pattern, p + 2, value, v + 1);
        }
        return (c == '?' || c == value.charAt(v)) && matches(pattern, p + 1, value, v + 1);
    }

    private record Wanted(String name, ImmutableList<String> patterns) {}
}
