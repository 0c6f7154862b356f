package dev.kip.sim.aws;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/** What was asked of a simulated service: counts for all time, the last calls one by one. */
public final class CallLog {

    private static final int KEPT = 10_000;

    private final Map<String, Long> calls = new TreeMap<>();
    private final Map<String, Long> errors = new TreeMap<>();
    private final Deque<Call> last = new ArrayDeque<>();

    /**
     * One call.
     *
     * @param outcome {@code ok}, or an error code
     */
    public record Call(Instant at, String action, String outcome) {}

    public void add(Call call) {
        calls.merge(call.action, 1L, Long::sum);
        if (!call.outcome.equals("ok")) {
            errors.merge(call.outcome, 1L, Long::sum);
        }
        last.add(call);
        if (last.size() > KEPT) {
            last.remove();
        }
    }

    /** By action, whatever the outcome. */
    public ImmutableMap<String, Long> counts() {
        return ImmutableMap.copyOf(calls);
    }

    /** By error code. */
    public ImmutableMap<String, Long> errors() {
        return ImmutableMap.copyOf(errors);
    }

    public long count(String action) {
        return calls.getOrDefault(action, 0L);
    }

    public long total() {
        return calls.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The last 10,000, oldest first. */
    public ImmutableList<Call> last() {
        return ImmutableList.copyOf(last);
    }
}
