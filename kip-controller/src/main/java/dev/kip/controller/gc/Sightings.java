package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Since when which instance has been seen unclaimed, by the monotonic clock. Confined to the loop. */
final class Sightings {

    private final Map<String, Seen> seen = new LinkedHashMap<>();

    private static final class Seen {
        private final long first;
        private int lists;
        private Optional<Long> quarantined = Optional.empty();
        private Optional<Long> ending = Optional.empty();
        private boolean told;

        Seen(long first) {
            this.first = first;
        }
    }

    /** A whole list of the cloud has shown exactly these unclaimed: whoever is not among them begins anew. */
    void saw(ImmutableSet<String> unclaimed, long now) {
        seen.keySet().retainAll(unclaimed);
        unclaimed.forEach(id -> seen.computeIfAbsent(id, key -> new Seen(now)).lists++);
    }

    /** It is claimed, or is being ended. */
    void forget(String instanceId) {
        seen.remove(instanceId);
    }

    Evidence.Sighting of(String instanceId, long now) {
        @Nullable Seen it = seen.get(instanceId);
        return it == null
                ? new Evidence.Sighting(0, Duration.ZERO)
                : new Evidence.Sighting(it.lists, Duration.ofNanos(now - it.first));
    }

    /** @return whether it was not in quarantine before */
    boolean quarantine(String instanceId, long now) {
        @Nullable Seen it = seen.get(instanceId);
        if (it == null || it.quarantined.isPresent()) {
            return false;
        }
        it.quarantined = Optional.of(now);
        return true;
    }

    ImmutableList<String> inQuarantine() {
        return seen.entrySet().stream()
                .filter(entry -> entry.getValue().quarantined.isPresent())
                .map(Map.Entry::getKey)
                .collect(ImmutableList.toImmutableList());
    }

    boolean quarantinedFor(String instanceId, Duration least, long now) {
        @Nullable Seen it = seen.get(instanceId);
        return it != null && it.quarantined.isPresent() && now - it.quarantined.get() >= least.toNanos();
    }

    /** Its agent was told to end its pod. */
    void ending(String instanceId, long now) {
        @Nullable Seen it = seen.get(instanceId);
        if (it != null && it.ending.isEmpty()) {
            it.ending = Optional.of(now);
        }
    }

    Optional<Duration> endingFor(String instanceId, long now) {
        @Nullable Seen it = seen.get(instanceId);
        return it == null ? Optional.empty() : it.ending.map(since -> Duration.ofNanos(now - since));
    }

    /** @return whether nothing has been said of it yet */
    boolean tellOnce(String instanceId) {
        @Nullable Seen it = seen.get(instanceId);
        if (it == null || it.told) {
            return false;
        }
        it.told = true;
        return true;
    }
}
