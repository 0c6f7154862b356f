package dev.kip.checkpointer.generation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.generation.Stored.Active;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Entry;
import dev.kip.disk.Disk.Kind;
import dev.kip.disk.DurableFiles;
import dev.kip.outcome.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads what is whole, and says what is not. Changes nothing. */
public final class CheckpointReader {

    private final Disk disk;
    private final Layout layout;
    private final VolumeFiles volumes;
    private final Scope scope;

    /**
     * Whose checkpoints are read.
     *
     * @param node this node's name
     * @param checkpointer namespace of this checkpointer
     */
    public record Scope(String node, String checkpointer) {}

    /** What is on disk. */
    public record Shelf(ImmutableSortedMap<PodKey, Stored> pods, ImmutableList<Flaw> flaws) {

        public Optional<Stored> find(PodKey key) {
            return Optional.ofNullable(pods.get(key));
        }

        public long nextSequence() {
            return pods.values().stream()
                            .flatMap(stored -> stored.generations().stream())
                            .mapToLong(Generation::sequence)
                            .max()
                            .orElse(0)
                    + 1;
        }
    }

    public CheckpointReader(Disk disk, Layout layout, Scope scope) {
        this.disk = disk;
        this.layout = layout;
        this.scope = scope;
        this.volumes = new VolumeFiles(new DurableFiles(disk));
    }

    /** @throws IOException if a directory cannot be read at all: then nothing is known, which is not the same as nothing there */
    public Shelf read() throws IOException {
        List<Flaw> flaws = new ArrayList<>();
        Map<PodKey, Stored> pods = new TreeMap<>();
        for (Entry entry : disk.list(layout.pods())) {
            Optional<PodKey> key = key(entry.name());
            if (entry.kind() == Kind.DIRECTORY && key.isPresent()) {
                pod(key.get(), flaws).ifPresent(stored -> pods.put(stored.key(), stored));
            }
        }
        for (Entry entry : disk.list(layout.manifests())) {
            Optional<PodKey> key = activeKey(entry.name());
            Path file = layout.manifests().resolve(entry.name());
            if (key.isPresent() && !pods.containsKey(key.get()) && !isAnothers(file)) {
                active(key.get(), file, flaws)
                        .ifPresent(active ->
                                pods.put(key.get(), new Stored(key.get(), ImmutableList.of(), Optional.of(active))));
            }
        }
        return new Shelf(ImmutableSortedMap.copyOf(pods), ImmutableList.copyOf(flaws));
    }

    private Optional<Stored> pod(PodKey key, List<Flaw> flaws) throws IOException {
        List<Generation> generations = new ArrayList<>();
        boolean others = isAnothers(layout.active(key));
        for (Entry entry : disk.list(layout.pod(key))) {
            if (entry.kind() != Kind.DIRECTORY || entry.name().startsWith(".")) {
                continue;
            }
            Path directory = layout.pod(key).resolve(entry.name());
            Optional<Generation> found = generation(key, entry.name(), directory, flaws);
            if (found.isPresent() && !found.get().origin().checkpointer().equals(scope.checkpointer())) {
                others = true;
            } else {
                found.ifPresent(generations::add);
            }
        }
        if (others) {
            return Optional.empty();
        }
        generations.sort(Comparator.comparingLong(Generation::sequence));
        Optional<Active> active = active(key, layout.active(key), flaws);
        return generations.isEmpty() && active.isEmpty()
                ? Optional.empty()
                : Optional.of(new Stored(key, ImmutableList.copyOf(generations), active));
    }

    /** Another checkpointer on this node looks after it. */
    private boolean isAnothers(Path manifest) throws IOException {
        Optional<byte[]> bytes = disk.read(manifest);
        return bytes.isPresent()
                && Manifests.annotation(bytes.get(), Manifests.CHECKPOINTER)
                        .map(owner -> !owner.equals(scope.checkpointer()))
                        .orElse(false);
    }

    private Optional<Generation> generation(PodKey key, String id, Path directory, List<Flaw> flaws)
            throws IOException {
        Path file = directory.resolve(Layout.GENERATION_FILE);
        Optional<byte[]> bytes = disk.read(file);
        if (bytes.isEmpty()) {
            flaws.add(new Flaw(file.toString(), "is missing: this generation is not used"));
            return Optional.empty();
        }
        Outcome<ObjectNode, String> opened = Envelope.open(bytes.get());
        if (opened.error().isPresent()) {
            flaws.add(new Flaw(file.toString(), opened.error().get() + ": this generation is not used"));
            return Optional.empty();
        }
        ObjectNode tree = opened.value().orElseThrow();
        Origin origin = Origin.of(tree.path("origin"));
        if (!origin.node().equals(scope.node())) {
            flaws.add(new Flaw(
                    directory.toString(),
                    "was made on node " + origin.node() + " and this is " + scope.node() + ": it is not used here"));
            return Optional.empty();
        }
        if (!origin.pod().equals(key) || !tree.path("id").asString("").equals(id)) {
            flaws.add(new Flaw(directory.toString(), "holds another generation than its name says: it is not used"));
            return Optional.empty();
        }
        ImmutableSortedMap.Builder<String, String> revisions = ImmutableSortedMap.naturalOrder();
        for (JsonNode name : tree.path("volumes")) {
            Path volume = directory.resolve(Layout.VOLUMES).resolve(name.asString());
            Optional<String> revision = volumes.current(volume);
            if (revision.isEmpty()) {
                flaws.add(new Flaw(
                        volume.toString(), "does not match its checksum, or is missing: this generation is not used"));
                return Optional.empty();
            }
            revisions.put(name.asString(), revision.get());
        }
        return Optional.of(new Generation(
                id,
                tree.path("sequence").asLong(0),
                instant(tree.path("stored").asString("")),
                origin,
                tree.get("manifest") instanceof ObjectNode manifest ? manifest : Trees.empty(),
                revisions.build(),
                proven(directory, flaws)));
    }

    private boolean proven(Path directory, List<Flaw> flaws) throws IOException {
        Path file = directory.resolve(Layout.PROVEN_FILE);
        Optional<byte[]> bytes = disk.read(file);
        if (bytes.isEmpty()) {
            return false;
        }
        Optional<String> problem = Envelope.open(bytes.get()).error();
        problem.ifPresent(
                text -> flaws.add(new Flaw(file.toString(), text + ": this generation counts as not yet proven")));
        return problem.isEmpty();
    }

    private Optional<Active> active(PodKey key, Path file, List<Flaw> flaws) throws IOException {
        Optional<byte[]> bytes = disk.read(file);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> node = Manifests.annotation(bytes.get(), Manifests.NODE);
        if (node.isPresent() && !node.get().equals(scope.node())) {
            flaws.add(new Flaw(
                    file.toString(), "is of node " + node.get() + ", not of " + scope.node() + ": it is taken away"));
        } else if (Manifests.annotation(bytes.get(), Manifests.GENERATION).isEmpty()) {
            flaws.add(new Flaw(file.toString(), "is damaged: it is written anew or taken away, as " + key + " needs"));
        }
        return Optional.of(Manifests.describe(bytes.get()));
    }

    /** What the pod's active manifest must be. */
    public static Active wanted(Generation generation, int attempt) {
        return Manifests.describe(Manifests.render(generation, attempt));
    }

    static Optional<PodKey> key(String segment) {
        int end = segment.indexOf('_');
        return end > 0 && end < segment.length() - 1 && !segment.startsWith(".")
                ? Optional.of(new PodKey(segment.substring(0, end), segment.substring(end + 1)))
                : Optional.empty();
    }

    static Optional<PodKey> activeKey(String name) {
        return name.startsWith(Layout.ACTIVE_PREFIX) && name.endsWith(".json")
                ? key(name.substring(Layout.ACTIVE_PREFIX.length(), name.length() - ".json".length()))
                : Optional.empty();
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }
}
