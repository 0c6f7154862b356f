package dev.kip.sim.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * What is to happen, by time. Of what is due at one moment, the first that was put in; or, when the order is drawn, the
 * first of the owner with the highest priority. Priorities are drawn when an owner is first met, and the running owner
 * falls to the lowest at a few drawn moments (probabilistic concurrency testing, Burckhardt et al., 2010).
 */
final class Agenda {

    private static final int CHANGES = 3;
    private static final int HORIZON = 20_000;

    private final PriorityQueue<Event> heap = new PriorityQueue<>();

    /** Due at the same moment, in the order in which they were put in; only when the order is drawn. */
    private final List<Event> tied = new ArrayList<>();

    private final Map<String, Long> priorities = new TreeMap<>();
    private final List<Long> changeAt = new ArrayList<>();
    private Optional<SeededEntropy> entropy = Optional.empty();
    private long choices;
    private long lowest;

    /** @param owner whose events stay in order */
    record Event(long at, long order, String owner, BooleanSupplier wanted, Runnable task)
            implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    void drawOrder(SeededEntropy source) {
        entropy = Optional.of(source);
        for (int i = 0; i < CHANGES; i++) {
            changeAt.add(source.below(HORIZON));
        }
    }

    void add(Event event) {
        heap.add(event);
    }

    /** When the next one is due; {@link Long#MAX_VALUE} if there is none. */
    long nextAt() {
        if (!tied.isEmpty()) {
            return tied.get(0).at;
        }
        Event first = heap.peek();
        return first == null ? Long.MAX_VALUE : first.at;
    }

    /** Takes the next one out; empty if there is none. */
    Optional<Event> take() {
        if (entropy.isEmpty()) {
            return Optional.ofNullable(heap.poll());
        }
        long at = nextAt();
        for (Event next = heap.peek(); next != null && next.at == at; next = heap.peek()) {
            tied.add(next);
            heap.poll();
        }
        return tied.isEmpty() ? Optional.empty() : Optional.of(tied.size() == 1 ? tied.remove(0) : choose());
    }

    private Event choose() {
        choices++;
        int best = 0;
        for (int i = 1; i < tied.size(); i++) {
            if (priority(tied.get(i).owner) > priority(tied.get(best).owner)) {
                best = i; // the first of its owner, since it is greater and not as great
            }
        }
        Event chosen = tied.remove(best);
        if (changeAt.contains(choices)) {
            priorities.put(chosen.owner, --lowest);
        }
        return chosen;
    }

    private long priority(String owner) {
        return priorities.computeIfAbsent(
                owner, name -> entropy.orElseThrow().fork(name).below(Long.MAX_VALUE));
    }
}
