package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Pods that wait for their like, so that one call launches for all of them. A window closes shortly after the last arrival,
 * at the latest some time after the first, and whenever a call is full. Confined to the loop.
 */
public final class LaunchWindows {

    /**
     * Pods of one call. EC2 takes more, but a call is also the unit of an unknown outcome; with fewer, a burst of a thousand
     * would wait for the bucket of {@link LaunchPace}.
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

    public ImmutableList<Group> take(long now) {
        ImmutableList.Builder<Group> groups = ImmutableList.builder();
        for (Iterator<Map.Entry<LaunchKey, Window>> windows = open.entrySet().iterator(); windows.hasNext(); ) {
            Map.Entry<LaunchKey, Window> entry = windows.next();
            Window window = entry.getValue();
            boolean closing = closes(window) - now <= 0;
            for (List<Waiting> part : Lists.partition(ImmutableList.copyOf(window.pods.values()), FULL)) {
                if (closing || part.size() == FULL) {
                    ImmutableList<PlannedPod> pods =
                            part.stream().map(Waiting::pod).collect(ImmutableList.toImmutableList());
                    groups.add(new Group(entry.getKey(), pods));
                    pods.forEach(pod -> window.pods.remove(pod.uid()));
                }
            }
            if (window.pods.isEmpty()) {
                windows.remove();
            }
        }
        return groups.build();
    }

    private long closes(Window window) {
        return Math.min(
                window.last + timing.batchIdle().toNanos(),
                window.first() + timing.batchMax().toNanos());
    }
}
