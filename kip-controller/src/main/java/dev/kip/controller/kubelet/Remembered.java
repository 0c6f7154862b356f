package dev.kip.controller.kubelet;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Answers that hold for a while; the oldest is forgotten when there are too many. Confined to the loop. */
final class Remembered<V> {

    private final Loop loop;
    private final int most;
    private final Map<String, Held<V>> held = new LinkedHashMap<>();

    private record Held<V>(V value, long until) {}

    Remembered(Loop loop, int most) {
        this.loop = loop;
        this.most = most;
    }

    Optional<V> find(String key) {
        Held<V> found = held.get(key);
        if (found == null) {
            return Optional.empty();
        }
        if (found.until() - loop.nanos() <= 0) {
            held.remove(key);
            return Optional.empty();
        }
        return Optional.of(found.value());
    }

    void keep(String key, V value, Duration howLong) {
        held.remove(key);
        held.put(key, new Held<>(value, loop.nanos() + howLong.toNanos()));
        if (held.size() > most) {
            held.remove(held.keySet().iterator().next());
        }
    }
}
