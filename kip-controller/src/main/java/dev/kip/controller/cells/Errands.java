package dev.kip.controller.cells;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What has been asked for and not been answered, and what failed and is not to be asked for again just yet. Immutable.
 *
 * @param underWay one bit for each {@link Errand}
 * @param notBefore monotonic nanoseconds; few entries, mostly none
 * @param failures in a row, of those that fail now
 */
public record Errands(int underWay, ImmutableMap<Errand, Long> notBefore, ImmutableMap<Errand, Integer> failures) {

    public static final Errands NONE = new Errands(0, ImmutableMap.of(), ImmutableMap.of());

    /** May be asked for now. */
    public boolean free(Errand errand, long now) {
        if ((underWay & errand.bit()) != 0) {
            return false;
        }
        if (notBefore.isEmpty()) {
            return true;
        }
        @Nullable Long time = notBefore.get(errand);
        return time == null || time - now <= 0;
    }

    public boolean underWay(Errand errand) {
        return (underWay & errand.bit()) != 0;
    }

    /** How often in a row it has failed. */
    public int failures(Errand errand) {
        return failures.getOrDefault(errand, 0);
    }

    /** Of all that is under way, this alone still matters. */
    public Errands only(Errand errand) {
        return underWay(errand) ? NONE.begun(errand) : NONE;
    }

    public Errands begun(Errand errand) {
        return new Errands(underWay | errand.bit(), without(notBefore, errand), failures);
    }

    public Errands done(Errand errand) {
        return new Errands(underWay & ~errand.bit(), without(notBefore, errand), without(failures, errand));
    }

    /** It failed; the wait doubles with every failure in a row, from {@code first} up to {@code most}. */
    public Errands failed(Errand errand, long now, Duration first, Duration most) {
        int before = failures(errand);
        Duration wait = first.multipliedBy(1L << Math.min(before, 20));
        return new Errands(
                underWay & ~errand.bit(),
                with(notBefore, errand, now + (wait.compareTo(most) < 0 ? wait : most).toNanos()),
                with(failures, errand, before + 1));
    }

    /** The first time after {@code now} at which something becomes free; {@link CellPhase#NEVER} if nothing waits. */
    public long due(long now) {
        if (notBefore.isEmpty()) {
            return CellPhase.NEVER;
        }
        long due = CellPhase.NEVER;
        for (Long time : notBefore.values()) {
            due = CellPhase.earlier(due, time, now);
        }
        return due;
    }

    private static <V> ImmutableMap<Errand, V> without(ImmutableMap<Errand, V> map, Errand errand) {
        if (!map.containsKey(errand)) {
            return map;
        }
        Map<Errand, V> copy = new LinkedHashMap<>(map);
        copy.remove(errand);
        return ImmutableMap.copyOf(copy);
    }

    private static <V> ImmutableMap<Errand, V> with(ImmutableMap<Errand, V> map, Errand errand, V value) {
        Map<Errand, V> copy = new LinkedHashMap<>(map);
        copy.put(errand, value);
        return ImmutableMap.copyOf(copy);
    }
}
