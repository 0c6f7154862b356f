package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pods that wait for their like, so that one call launches for all of them. A window closes shortly after the last arrival,
 * at the latest some time after the first, and whenever a call is full. Confined to the loop.
 */
public final class LaunchWindows {

    /**
     * Pods of one call. EC2 takes more, but a call is also the unit of an unknown outcome; with fewer, a burst of a thousand
     * would wait for the requests that EC2 allows of a kind.
     */
    public static final int FULL = 200;

    private final Timing timing;
    private final Map<LaunchKey, Window> open = new LinkedHashMap<>();

    public LaunchWindows(Timing timing) {
        this.timing = timing;
    }

    /** Pods for one launch call. */
    public record Group(LaunchKey key, ImmutableList<PlannedPod> pods) {}

    private record Waiting(PlannedPod pod, long since) {}

    private static final class Window {
        private long last;
        private final Map<String, Waiting> pods = new LinkedHashMap<>();

        /** When the one came that has waited longest; those that a full call took along wait no more. */
        long first() {
            return pods.values().iterator().next().since();
        }
    }

    public void add(LaunchKey key, PlannedPod pod, long now) {
        Window window = open.computeIfAbsent(key, k -> new Window());
        window.last = now;
        window.pods.put(pod.uid(), new Waiting(pod, now));
    }

    /** When something is to be taken out; {@link Long#MAX_VALUE} if nothing waits. */
    public long due() {
        long due = Long.MAX_VALUE;
        for (Window window : open.values()) {
            due = Math.min(due, window.pods.size() >= FULL ? window.last : closes(window));
        }
        return due;
    }

    /** The next group that need not wait for its like any more, of those that do the one that has waited longest. */
    public Optional<Group> ready(long now) {
        return open.entrySet().stream()
                .filter(entry -> entry.getValue().pods.size() >= FULL || closes(entry.getValue()) - now <= 0)
                .min(Comparator.comparingLong(entry -> entry.getValue().first()))
                .map(entry -> new Group(
                        entry.getKey(),
                        entry.getValue().pods.values().stream()
                                .limit(FULL)
                                .map(Waiting::pod)
                                .collect(ImmutableList.toImmutableList())));
    }

    /** Takes out the pods of a group: they have joined a call, or want none. */
    public void take(Group group) {
        @Nullable Window window = open.get(group.key());
        if (window != null) {
            group.pods().forEach(pod -> window.pods.remove(pod.uid()));
            if (window.pods.isEmpty()) {
                open.remove(group.key());
            }
        }
    }

    private long closes(Window window) {
        return Math.min(
                window.last + timing.batchIdle().toNanos(),
                window.first() + timing.batchMax().toNanos());
    }
}
