package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.disk.Disk;
import dev.kip.sim.kubelet.SimKubelet;
import dev.kip.sim.kubelet.SimNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A machine as rules see it: all of it, and not what any program believes.
 *
 * @param now since the beginning of the world
 * @param files all entries of kubelet's directory
 * @param copies our manifests there by their pod's name, each empty if it is no JSON object
 * @param changed the names of pods whose copies are others than at the last look
 * @param stored the pods whose generations are stored, with the generations' ids
 * @param trash what was thrown away and is still there
 * @param running the names of the pods that run
 */
record Sight(
        SimNode node,
        Duration now,
        ImmutableList<Disk.Entry> files,
        ImmutableSortedMap<String, Optional<ObjectNode>> copies,
        ImmutableSortedSet<String> changed,
        ImmutableSortedMap<String, ImmutableSortedSet<String>> stored,
        ImmutableList<String> trash,
        ImmutableSortedSet<String> running) {

    private static final String PREFIX = "kip-checkpoint_" + PlanePods.NAMESPACE + "_";
    private static final String SUFFIX = ".json";
    private static final Path PODS = Plane.STATE.resolve("pods");

    Disk disk() {
        return node.disk().as("somebody");
    }

    /** Looks again and again, and parses only what has changed. */
    static final class Looker {

        private final SimNode node;
        private final Map<String, byte[]> bytes = new TreeMap<>();
        private final Map<String, Optional<ObjectNode>> copies = new TreeMap<>();

        Looker(SimNode node) {
            this.node = node;
        }

        Sight look(Duration now) {
            Disk disk = node.disk().as("somebody");
            try {
                ImmutableList<Disk.Entry> files = disk.list(SimKubelet.MANIFESTS);
                ImmutableSortedSet<String> changed = read(disk, files);
                return new Sight(
                        node,
                        now,
                        files,
                        ImmutableSortedMap.copyOf(copies),
                        changed,
                        stored(disk),
                        disk.list(Plane.STATE.resolve("trash")).stream()
                                .map(Disk.Entry::name)
                                .collect(ImmutableList.toImmutableList()),
                        ImmutableSortedSet.copyOf(node.runtime().running()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private ImmutableSortedSet<String> read(Disk disk, ImmutableList<Disk.Entry> files) throws IOException {
            ImmutableSortedSet.Builder<String> changed = ImmutableSortedSet.naturalOrder();
            Map<String, byte[]> there = new TreeMap<>();
            for (Disk.Entry file : files) {
                if (file.name().startsWith(PREFIX) && file.name().endsWith(SUFFIX)) {
                    String pod =
                            file.name().substring(PREFIX.length(), file.name().length() - SUFFIX.length());
                    there.put(
                            pod,
                            disk.read(SimKubelet.MANIFESTS.resolve(file.name())).orElse(new byte[0]));
                }
            }
            bytes.keySet().retainAll(there.keySet());
            copies.keySet().retainAll(there.keySet());
            there.forEach((pod, content) -> {
                if (!Arrays.equals(content, bytes.put(pod, content))) {
                    copies.put(pod, parse(content));
                    changed.add(pod);
                }
            });
            return changed.build();
        }

        private static Optional<ObjectNode> parse(byte[] content) {
            try {
                return JsonMapper.shared().readTree(content) instanceof ObjectNode object
                        ? Optional.of(object)
                        : Optional.empty();
            } catch (JacksonException e) {
                return Optional.empty();
            }
        }

        private static ImmutableSortedMap<String, ImmutableSortedSet<String>> stored(Disk disk) throws IOException {
            ImmutableSortedMap.Builder<String, ImmutableSortedSet<String>> stored = ImmutableSortedMap.naturalOrder();
            for (Disk.Entry pod : disk.list(PODS)) {
                ImmutableSortedSet.Builder<String> generations = ImmutableSortedSet.naturalOrder();
                for (Disk.Entry one : disk.list(PODS.resolve(pod.name()))) {
                    Path file = PODS.resolve(pod.name()).resolve(one.name()).resolve("generation");
                    if (!one.name().startsWith(".")
                            && disk.look(file)
                                    .filter(found -> found.bytes() > 0)
                                    .isPresent()) {
                        generations.add(one.name());
                    }
                }
                ImmutableSortedSet<String> found = generations.build();
                if (!found.isEmpty()) {
                    stored.put(pod.name().substring(pod.name().indexOf('_') + 1), found);
                }
            }
            return stored.build();
        }
    }
}
