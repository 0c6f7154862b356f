package dev.kip.sim.apiserver.table;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

/** Ages as {@code k8s.io/apimachinery/pkg/util/duration} prints them. */
final class HumanDuration {

    private HumanDuration() {}

    static String of(Duration duration) {
        long seconds = duration.toMillis() / 1000;
        if (seconds < -1) {
            return "<invalid>";
        }
        if (seconds < 0) {
            return "0s";
        }
        if (seconds < 120) {
            return seconds + "s";
        }
        long minutes = seconds / 60;
        if (minutes < 10) {
            return pair(minutes, "m", seconds % 60, "s");
        }
        if (minutes < 180) {
            return minutes + "m";
        }
        long hours = minutes / 60;
        if (hours < 8) {
            return pair(hours, "h", minutes % 60, "m");
        }
        if (hours < 48) {
            return hours + "h";
        }
        long days = hours / 24;
        if (days < 8) {
            return pair(days, "d", hours % 24, "h");
        }
        if (days < 365 * 2) {
            return days + "d";
        }
        return days < 365 * 8 ? pair(days / 365, "y", days % 365, "d") : days / 365 + "y";
    }

    /** The age of what was stamped {@code timestamp}, in RFC 3339; an empty one is {@code <unknown>}. */
    static String since(String timestamp, Instant now) {
        if (timestamp.isEmpty()) {
            return "<unknown>";
        }
        try {
            return of(Duration.between(DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(timestamp, Instant::from), now));
        } catch (DateTimeException e) {
            return "<invalid>";
        }
    }

    private static String pair(long large, String largeUnit, long small, String smallUnit) {
        return small == 0 ? large + largeUnit : large + largeUnit + small + smallUnit;
    }
}
