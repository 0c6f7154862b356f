package dev.kip.http.vertx;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Time that passes when it is told to. */
final class PaperTimers implements Timers {

    private record Due(Duration at, long number) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = at.compareTo(other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final TreeMap<Due, Runnable> waiting = new TreeMap<>();
    private Duration now = Duration.ZERO;
    private long numbers;

    int open() {
        return waiting.size();
    }

    Duration now() {
        return now;
    }

    @Override
    public Runnable after(Duration delay, Runnable task) {
        Due due = new Due(now.plus(delay), numbers++);
        waiting.put(due, task);
        return () -> waiting.remove(due);
    }

    @Override
    public Runnable every(Duration period, Runnable task) {
        Runnable[] cancel = {() -> {}};
        Runnable[] again = {() -> {}};
        again[0] = () -> {
            cancel[0] = after(period, again[0]);
            task.run();
        };
        cancel[0] = after(period, again[0]);
        return () -> cancel[0].run();
    }

    void pass(Duration span) {
        Duration end = now.plus(span);
        while (!waiting.isEmpty() && waiting.firstKey().at().compareTo(end) <= 0) {
            Map.Entry<Due, Runnable> next = waiting.pollFirstEntry();
            now = next.getKey().at();
            next.getValue().run();
        }
        now = end;
    }
}
