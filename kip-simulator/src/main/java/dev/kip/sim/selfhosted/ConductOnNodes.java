package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** When a checkpointer may start a copy, must start one, and must take one away. */
final class ConductOnNodes {

    private ConductOnNodes() {}

    static ImmutableList<NodeRule> all(Plane plane) {
        return ImmutableList.of(
                new OneLiveCopy(),
                new SilentRuntimeStartsNothing(),
                new SilentServerRemovesNothing(plane),
                new DeletedPodsStayDeleted(plane),
                new WakesByItself(plane),
                new KeepsItself(plane));
    }

    private static String on(Sight sight) {
        return " on " + sight.node().name();
    }

    /**
     * Who takes over starts before the other has ended, for it is seen to run first: so a short while is allowed. The
     * checkpointer itself is meant to have two; one of them waits.
     */
    static final class OneLiveCopy extends NodeRule {

        /** The checkpointer looks every five seconds, and the copy may take its grace to end. */
        private static final Duration HANDOVER = Duration.ofSeconds(45);

        OneLiveCopy() {
            super("I48 one live copy", "A pod and its checkpoint that both run fight for one port and one volume.");
        }

        @Override
        void look(Sight sight) {
            for (String pod : sight.running()) {
                if (!pod.startsWith(Plane.CHECKPOINTER_PROGRAM)) {
                    boolean both =
                            sight.running().contains(pod + "-" + sight.node().name())
                                    || sight.copies().containsKey(pod);
                    lasts(sight, pod + " runs and has a checkpoint in use" + on(sight), both, HANDOVER);
                }
            }
            sight.copies().keySet().stream()
                    .filter(pod -> !sight.running().contains(pod))
                    .forEach(pod ->
                            lasts(sight, pod + " runs and has a checkpoint in use" + on(sight), false, HANDOVER));
        }
    }

    static final class SilentRuntimeStartsNothing extends NodeRule {

        private final Map<String, ImmutableSortedSet<String>> before = new LinkedHashMap<>();

        SilentRuntimeStartsNothing() {
            super(
                    "I49 a silent runtime starts nothing",
                    "A container runtime that does not answer says nothing about what runs: whoever takes it for nothing"
                            + " starts everything a second time.");
        }

        @Override
        void look(Sight sight) {
            String node = sight.node().name();
            ImmutableSortedSet<String> now =
                    ImmutableSortedSet.copyOf(sight.copies().keySet());
            if (sight.node().runtime().answers()) {
                before.remove(node);
                return;
            }
            ImmutableSortedSet<String> known = before.computeIfAbsent(node, any -> now);
            now.stream().filter(pod -> !known.contains(pod)).findFirst().ifPresent(pod -> {
                before.put(node, now);
                violate("a checkpoint of " + pod + " is put to use" + on(sight) + " while the runtime does not answer");
            });
        }
    }

    static final class SilentServerRemovesNothing extends NodeRule {

        private final Plane plane;
        private final Map<String, Integer> boots = new LinkedHashMap<>();
        private final Map<String, ImmutableSortedSet<String>> before = new LinkedHashMap<>();

        SilentServerRemovesNothing(Plane plane) {
            super(
                    "I50 what is still there keeps its checkpoint",
                    "An API server that does not answer, refuses or answers with an empty list has not said that a pod is"
                            + " gone.");
            this.plane = plane;
        }

        @Override
        void look(Sight sight) {
            ImmutableSortedSet<String> now =
                    ImmutableSortedSet.copyOf(sight.stored().keySet());
            ImmutableSortedSet<String> known = before.getOrDefault(sight.node().name(), now);
            before.put(sight.node().name(), now);
            Integer boot = boots.put(sight.node().name(), sight.node().boots());
            boolean sameBoot = boot != null && boot == sight.node().boots();
            if (!sight.node().on() || !sameBoot || plane.emptied(sight.node())) {
                return;
            }
            known.stream()
                    .filter(pod -> !now.contains(pod) && plane.find(pod).isPresent())
                    .forEach(pod ->
                            violate("the checkpoint of " + pod + on(sight) + " is removed, and the pod is there"));
        }
    }

    static final class DeletedPodsStayDeleted extends NodeRule {

        /** The grace is a minute; the API server must be asked, and kubelet must read its directory. */
        private static final Duration GRACE = Duration.ofMinutes(4);

        private final Plane plane;

        DeletedPodsStayDeleted(Plane plane) {
            super(
                    "I51 deleted pods stay deleted",
                    "A checkpoint that outlives its pod brings back at the next power cut what somebody took away.");
            this.plane = plane;
        }

        @Override
        void look(Sight sight) {
            boolean able = sight.node().on()
                    && sight.node().disk().takesAll()
                    && plane.anyServes()
                    && plane.trusts(sight.node());
            for (String pod : sight.stored().keySet()) {
                lasts(
                        sight,
                        pod + " is deleted and has a checkpoint" + on(sight),
                        able && plane.find(pod).isEmpty(),
                        GRACE);
            }
        }
    }

    static final class WakesByItself extends NodeRule {

        private static final Duration BOUND = Duration.ofSeconds(150);

        private final Plane plane;

        WakesByItself(Plane plane) {
            super(
                    "I52 a machine wakes by itself",
                    "With no API server anywhere, nobody but the checkpointer can start one: what it stored must run soon.");
            this.plane = plane;
        }

        @Override
        void look(Sight sight) {
            boolean alone = sight.node().on()
                    && !plane.anyServes()
                    && sight.node().runtime().answers()
                    && sight.stored().keySet().stream().anyMatch(pod -> pod.startsWith(Plane.PROGRAM));
            lasts(sight, "an API server is stored and none runs" + on(sight), alone, BOUND);
        }
    }

    static final class KeepsItself extends NodeRule {

        private static final Duration BOUND = Duration.ofMinutes(3);

        private final Plane plane;

        KeepsItself(Plane plane) {
            super(
                    "I53 the checkpointer keeps itself",
                    "Checkpoints are of no use on a machine where nothing that starts them comes back.");
            this.plane = plane;
        }

        @Override
        void look(Sight sight) {
            ImmutableSortedMap<String, ImmutableSortedSet<String>> stored = sight.stored();
            boolean bare = sight.node().on()
                    && plane.anyServes()
                    && !stored.isEmpty()
                    && stored.keySet().stream().noneMatch(pod -> pod.startsWith(Plane.CHECKPOINTER_PROGRAM));
            lasts(sight, "pods are stored and the checkpointer is not" + on(sight), bare, BOUND);
        }
    }
}
