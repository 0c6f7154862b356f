package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;

/** {@code MaxResults} and {@code NextToken}. A token names the last item shown, so that what comes or goes between pages shifts nothing. */
final class Pages {

    private Pages() {}

    /** @param nextToken absent on the last page */
    record Page<T>(ImmutableList<T> items, Optional<String> nextToken) {}

    /**
     * @param sorted by {@code key}, ascending
     * @param whenUnsaid page size without MaxResults
     */
    static <T> Page<T> of(
            Params params, ImmutableList<T> sorted, Function<T, String> key, int least, int most, int whenUnsaid) {
        int size = params.integer("MaxResults").orElse(whenUnsaid);
        if (params.optional("MaxResults").isPresent() && (size < least || size > most)) {
            throw Ec2Failure.invalidValue(
                    "Value ( " + size + " ) for parameter maxResults is invalid. Expecting a value between " + least
                            + " and " + most + ".");
        }
        Optional<String> after = params.optional("NextToken").map(Pages::decode);
        ImmutableList<T> rest = sorted.stream()
                .filter(item -> after.isEmpty() || key.apply(item).compareTo(after.get()) > 0)
                .limit(size + 1L)
                .collect(ImmutableList.toImmutableList());
        if (rest.size() <= size) {
            return new Page<>(rest, Optional.empty());
        }
        ImmutableList<T> shown = rest.subList(0, size);
        return new Page<>(shown, Optional.of(encode(key.apply(shown.get(size - 1)))));
    }

    private static String encode(String key) {
        return Base64.getUrlEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(String token) {
        try {
            return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Ec2Failure("InvalidNextToken", "The token '" + token + "' is invalid");
        }
    }
}
