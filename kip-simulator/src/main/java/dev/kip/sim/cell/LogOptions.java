package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import dev.kip.sim.cell.ContainerLog.Line;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * What of a log is asked for, as a kubelet reads it.
 *
 * @param tailLines the last so many
 * @param since none from before that long ago
 * @param sinceTime none from before then
 * @param limitBytes no more than so many bytes
 */
record LogOptions(
        boolean follow,
        boolean previous,
        boolean timestamps,
        Optional<Long> tailLines,
        Optional<Duration> since,
        Optional<Instant> sinceTime,
        Optional<Long> limitBytes) {

    /** @throws IllegalArgumentException naming the parameter that cannot be meant */
    static LogOptions of(ImmutableListMultimap<String, String> query) {
        Optional<Long> seconds = number(query, "sinceSeconds", 1);
        Optional<Instant> time = first(query, "sinceTime").map(LogOptions::time);
        if (seconds.isPresent() && time.isPresent()) {
            throw new IllegalArgumentException("at most one of `sinceTime` or `sinceSeconds` may be specified");
        }
        return new LogOptions(
                flag(query, "follow"),
                flag(query, "previous"),
                flag(query, "timestamps"),
                number(query, "tailLines", 0),
                seconds.map(Duration::ofSeconds),
                time,
                number(query, "limitBytes", 1));
    }

    /** Those of the lines that are meant, oldest first. */
    ImmutableList<Line> select(ImmutableList<Line> lines, Instant now) {
        Instant from = since.map(now::minus).or(() -> sinceTime).orElse(Instant.MIN);
        ImmutableList<Line> young =
                lines.stream().filter(line -> !line.at().isBefore(from)).collect(ImmutableList.toImmutableList());
        long most = Math.min(tailLines.orElse(Long.MAX_VALUE), young.size());
        return young.subList((int) (young.size() - most), young.size());
    }

    private static Optional<String> first(ImmutableListMultimap<String, String> query, String name) {
        return query.get(name).stream().findFirst().filter(text -> !text.isEmpty());
    }

    private static boolean flag(ImmutableListMultimap<String, String> query, String name) {
        return first(query, name)
                .filter(text -> text.equals("true") || text.equals("1"))
                .isPresent();
    }

    private static Optional<Long> number(ImmutableListMultimap<String, String> query, String name, long least) {
        return first(query, name).map(text -> {
            if (!text.matches("\\d{1,18}") || Long.parseLong(text) < least) {
                throw new IllegalArgumentException(
                        name + ": Invalid value: " + text + ": must be greater than or equal to " + least);
            }
            return Long.parseLong(text);
        });
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("sinceTime: Invalid value: " + text + ": wanted a time as RFC 3339", e);
        }
    }
}
