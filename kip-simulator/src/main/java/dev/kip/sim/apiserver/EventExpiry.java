package dev.kip.sim.apiserver;

import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.store.Change;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** Deletes events that have not changed for the time they are kept. One timer for all of them. */
final class EventExpiry implements Shelf.ChangeListener {

    private final Core core;
    private final Shelf events;
    /** In the order of their ends, since all live equally long. */
    private final Deque<Entry> waiting = new ArrayDeque<>();

    private Loop.@Nullable Timer timer;

    EventExpiry(Core core, Shelf events) {
        this.core = core;
        this.events = events;
        events.listen(this);
    }

    private record Entry(long endNanos, String key, long revision) {}

    @Override
    public void changed(Change change) {
        change.after().ifPresent(after -> add(after.key(), after.revision()));
    }

    @Override
    public void restored(NavigableMap<String, Versioned> before) {
        waiting.clear();
        events.now().forEach((key, event) -> add(key, event.revision()));
    }

    private void add(String key, long revision) {
        long end = core.loop().nanos() + core.settings().eventTtl().toNanos();
        waiting.add(new Entry(end, key, revision));
        if (timer == null) {
            arm();
        }
    }

    private void arm() {
        Entry first = waiting.peek();
        timer = first == null
                ? null
                : core.loop()
                        .after(
                                Duration.ofNanos(
                                        Math.max(first.endNanos - core.loop().nanos(), 0)),
                                this::expire);
    }

    private void expire() {
        for (Entry first = waiting.peek();
                first != null && first.endNanos <= core.loop().nanos();
                first = waiting.peek()) {
            Entry ended = waiting.remove();
            boolean unchanged = events.get(ended.key)
                    .filter(event -> event.revision() == ended.revision)
                    .isPresent();
            if (unchanged) {
                core.store().delete(events, ended.key);
            }
        }
        arm();
    }
}
