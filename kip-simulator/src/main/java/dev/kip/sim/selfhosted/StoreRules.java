package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** What a checkpointer may do to a machine's disk. */
final class StoreRules {

    /** A file in kubelet's directory that is nobody's business. */
    static final String OF_SOMEBODY = ".of-somebody";

    private StoreRules() {}

    static ImmutableList<NodeRule> all(Plane plane) {
        return ImmutableList.of(
                new RootAlone(),
                new OthersFilesStay(),
                new WrittenOnce(),
                new TrashIsEmptied(),
                new OutlastsPower(plane));
    }

    static final class RootAlone extends NodeRule {
        RootAlone() {
            super(
                    "I62 only root reads checkpoints",
                    "Manifests and stored pods carry the values of secrets: whoever reads them needs no API server to have"
                            + " them.");
        }

        @Override
        void look(Sight sight) {
            for (Disk.Entry file : sight.files()) {
                if (file.name().startsWith("kip-checkpoint_")) {
                    lasts(
                            sight,
                            file.name() + " on " + sight.node().name() + " is not root's alone",
                            (file.access().mode() & 077) != 0 || file.access().uid() != 0,
                            Duration.ZERO);
                }
            }
            try {
                boolean open = sight.disk()
                        .look(Plane.STATE)
                        .filter(state -> (state.access().mode() & 077) != 0)
                        .isPresent();
                lasts(sight, Plane.STATE + " on " + sight.node().name() + " is not root's alone", open, Duration.ZERO);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class OthersFilesStay extends NodeRule {
        OthersFilesStay() {
            super(
                    "I63 others' files stay",
                    "Kubelet's directory is everybody's: a static pod of somebody else may be etcd.");
        }

        @Override
        void look(Sight sight) {
            lasts(
                    sight,
                    OF_SOMEBODY + " is gone from kubelet's directory on "
                            + sight.node().name(),
                    !sight.files().isEmpty()
                            && sight.files().stream()
                                    .noneMatch(file -> file.name().equals(OF_SOMEBODY)),
                    Duration.ZERO);
        }
    }

    static final class WrittenOnce extends NodeRule {

        private static final Duration WINDOW = Duration.ofMinutes(10);
        private static final int MOST = 6;

        private final Map<String, ImmutableSortedSet<String>> known = new LinkedHashMap<>();
        private final Map<String, Deque<Duration>> written = new LinkedHashMap<>();

        WrittenOnce() {
            super(
                    "I64 what is the same is not stored anew",
                    "Each new generation is made known to kubelet, which ends the pod and starts it again.");
        }

        @Override
        void look(Sight sight) {
            sight.stored().forEach((pod, generations) -> {
                String key = pod + " on " + sight.node().name();
                ImmutableSortedSet<String> before = known.getOrDefault(key, ImmutableSortedSet.of());
                known.put(key, generations);
                Deque<Duration> times = written.computeIfAbsent(key, any -> new ArrayDeque<>());
                generations.stream().filter(one -> !before.contains(one)).forEach(one -> times.add(sight.now()));
                while (!times.isEmpty() && sight.now().minus(times.peek()).compareTo(WINDOW) > 0) {
                    times.remove();
                }
                if (times.size() > MOST) {
                    times.clear();
                    violate(key + " is stored more than " + MOST + " times in ten minutes");
                }
            });
        }
    }

    static final class TrashIsEmptied extends NodeRule {

        private static final Duration BOUND = Duration.ofMinutes(2);

        TrashIsEmptied() {
            super(
                    "I65 what is removed is gone",
                    "Secrets of a pod that was taken away must not lie on the disk for ever.");
        }

        @Override
        void look(Sight sight) {
            for (String one : sight.trash()) {
                lasts(
                        sight,
                        one + " lies in the trash on " + sight.node().name(),
                        sight.node().on(),
                        BOUND);
            }
        }
    }

    static final class OutlastsPower extends NodeRule {

        private static final Duration SETTLED = Duration.ofMinutes(2);

        private final Plane plane;
        private final Map<String, Map<String, Duration>> since = new LinkedHashMap<>();
        private final Map<String, Integer> boots = new LinkedHashMap<>();

        OutlastsPower(Plane plane) {
            super(
                    "I66 what is stored outlasts the power",
                    "The disk writes what it likes when it likes, unless it is told: an unsynced checkpoint is gone when it"
                            + " is needed.");
            this.plane = plane;
        }

        @Override
        void look(Sight sight) {
            Map<String, Duration> settled = since.computeIfAbsent(sight.node().name(), any -> new TreeMap<>());
            Integer before = boots.put(sight.node().name(), sight.node().boots());
            if (before == null) { // the plane was brought up minutes ago
                sight.stored().keySet().forEach(pod -> settled.put(pod, Duration.ZERO));
            }
            boolean sameBoot = before == null || before == sight.node().boots();
            if (sight.node().on() && sameBoot) {
                settled.keySet().retainAll(sight.stored().keySet());
                sight.stored().keySet().forEach(pod -> settled.putIfAbsent(pod, sight.now()));
                return;
            }
            settled.forEach((pod, at) -> {
                boolean lost = sight.now().minus(at).compareTo(SETTLED) > 0
                        && !sight.stored().containsKey(pod)
                        && plane.find(pod).isPresent();
                if (lost) {
                    violate(pod + " was stored on " + sight.node().name() + " and is not there any more");
                }
            });
            settled.clear();
        }
    }
}
