package dev.kip.sim.workloads;

import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.ApiFailure;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of objects that are to be looked at, each once however often it was named, each after a short drawn delay, as the
 * controllers of a real cluster act some time after the change. What was refused is looked at again, ever later.
 */
final class WorkQueue {

    private static final Logger LOG = LoggerFactory.getLogger(WorkQueue.class);
    private static final Duration LEAST = Duration.ofMillis(2);
    private static final long SPREAD_MICROS = 18_000;
    private static final Duration MOST_BACKOFF = Duration.ofSeconds(30);

    private final Loop loop;
    private final Entropy entropy;
    private final Consumer<String> work;
    private final TreeSet<String> waiting = new TreeSet<>();
    /** When a key is due that was put off, by the monotonic clock. */
    private final Map<String, Long> putOff = new TreeMap<>();

    private final Map<String, Integer> refusals = new TreeMap<>();

    /** @param work may throw {@link ApiFailure}, which means: again, later */
    WorkQueue(Loop loop, Entropy entropy, Consumer<String> work) {
        this.loop = loop;
        this.entropy = entropy;
        this.work = work;
    }

    void add(String key) {
        if (waiting.add(key)) {
            loop.after(LEAST.plusNanos(1000 * entropy.below(SPREAD_MICROS)), () -> look(key));
        }
    }

    /** Not before {@code delay} has passed; an earlier time that was set stays. */
    void addAfter(String key, Duration delay) {
        long due = loop.nanos() + Math.max(0, delay.toNanos());
        Long earlier = putOff.get(key);
        if (earlier != null && earlier - due <= 0) {
            return;
        }
        putOff.put(key, due);
        loop.after(delay.isNegative() ? Duration.ZERO : delay, () -> {
            Long set = putOff.get(key);
            if (set != null && set == due) {
                putOff.remove(key);
                add(key);
            }
        });
    }

    private void look(String key) {
        waiting.remove(key);
        try {
            work.accept(key);
            refusals.remove(key);
        } catch (ApiFailure refused) {
            int times = refusals.merge(key, 1, Integer::sum);
            LOG.debug("{}: {} ({} times)", key, refused.getMessage(), times);
            Duration backoff = Duration.ofMillis(5).multipliedBy(1L << Math.min(times, 16));
            addAfter(key, backoff.compareTo(MOST_BACKOFF) < 0 ? backoff : MOST_BACKOFF);
        }
    }
}
