package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What really ran where, whatever anybody believes. Written by the cells of a world, read by its invariants. In the order
 * of events; confined to the world's loop.
 */
public final class GroundTruth {

    private final List<Granting> grants = new ArrayList<>();
    private final Map<String, Run> running = new LinkedHashMap<>();
    private final List<Run> finished = new ArrayList<>();
    private final List<Run> starts = new ArrayList<>();
    private final Map<String, TreeSet<String>> instancesByAttempt = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private final TreeSet<String> gone = new TreeSet<>();
    private final TreeSet<String> untraceable = new TreeSet<>();
    private final TreeSet<String> startedPods = new TreeSet<>();
    private boolean rewritten;

    /** A cell accepted a grant for the first time. */
    public record Granting(String instanceId, String podUid, int attempt, Instant at) {}

    /** One run of one container, from its start to its end. */
    public record Run(
            String instanceId,
            String podUid,
            int attempt,
            String container,
            int restart,
            Instant started,
            Optional<Instant> ended) {}

    void granted(String instanceId, String podUid, int attempt, Instant at) {
        grants.add(new Granting(instanceId, podUid, attempt, at));
        TreeSet<String> instances =
                instancesByAttempt.computeIfAbsent(podUid + " attempt " + attempt, key -> new TreeSet<>());
        if (rewritten) {
            instances.removeAll(gone);
        }
        instances.removeAll(untraceable);
        instances.add(instanceId);
        if (instances.size() > 1) {
            violations.add("pod " + podUid + " attempt " + attempt + " was granted to more than one instance: "
                    + String.join(", ", instances));
        }
    }

    void started(Run run) {
        for (Run other : running.values()) {
            if (other.podUid().equals(run.podUid())
                    && !other.instanceId().equals(run.instanceId())
                    && !untraceable.contains(other.instanceId())) {
                violations.add("pod " + run.podUid() + " runs on " + run.instanceId() + " (" + run.container()
                        + ") while it runs on " + other.instanceId() + " (" + other.container() + ")");
            }
        }
        running.put(key(run.instanceId(), run.container()), run);
        starts.add(run);
        startedPods.add(run.podUid());
    }

    void ended(String instanceId, String container, Instant at) {
        Optional.ofNullable(running.remove(key(instanceId, container)))
                .ifPresent(run -> finished.add(new Run(
                        run.instanceId(),
                        run.podUid(),
                        run.attempt(),
                        run.container(),
                        run.restart(),
                        run.started(),
                        Optional.of(at))));
    }

    /** The instance lost its power or is gone: everything on it has ended. */
    void silenced(String instanceId, Instant at) {
        gone.add(instanceId);
        for (Run run : ImmutableList.copyOf(running.values())) {
            if (run.instanceId().equals(instanceId)) {
                ended(instanceId, run.container(), at);
            }
        }
    }

    /** How many grants there were; cheap enough for every event. */
    public int grantCount() {
        return grants.size();
    }

    /** From the n-th on, which counts from 0. */
    public ImmutableList<Granting> grantsFrom(int first) {
        return ImmutableList.copyOf(grants.subList(first, grants.size()));
    }

    /** Whether a container of the pod has ever started, anywhere. */
    public boolean everStarted(String podUid) {
        return startedPods.contains(podUid);
    }

    /** Whether the instance has been without power: what runs on it now was begun anew by itself. */
    public boolean hasLostPower(String instanceId) {
        return gone.contains(instanceId);
    }

    /**
     * A cluster was restored from a backup, or is the copy of another: it may have forgotten that an attempt was tried, so that
     * from now on only instances that are still there count against a second one.
     */
    public void historyRewritten() {
        rewritten = true;
    }

    /** Somebody has taken every trace of this instance away before anyone could know of it: it counts no more. */
    public void untraceable(String instanceId) {
        untraceable.add(instanceId);
    }

    public boolean isUntraceable(String instanceId) {
        return untraceable.contains(instanceId);
    }

    private static String key(String instanceId, String container) {
        return instanceId + "/" + container;
    }

    public ImmutableList<Granting> grants() {
        return ImmutableList.copyOf(grants);
    }

    /** Container runs that have ended, in the order in which they did, then those that go on. */
    public ImmutableList<Run> runs() {
        return ImmutableList.<Run>builder()
                .addAll(finished)
                .addAll(running.values())
                .build();
    }

    public ImmutableList<Run> running() {
        return ImmutableList.copyOf(running.values());
    }

    /** How many container runs ever started; cheap enough for every event. */
    public int startCount() {
        return starts.size();
    }

    /** Container runs as they started, without their ends, from the n-th on, which counts from 0. */
    public ImmutableList<Run> startsFrom(int first) {
        return ImmutableList.copyOf(starts.subList(first, starts.size()));
    }

    /** How many {@link #violations} there are; cheap enough for every event. */
    public int violationCount() {
        return violations.size();
    }

    /** One pod attempt on two instances, or one pod running on two at a time; empty in a right world. */
    public ImmutableList<String> violations() {
        return ImmutableList.copyOf(violations);
    }
}
