package dev.kip.checkpointer.generation;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.sanitise.StaticPod;
import dev.kip.checkpointer.sanitise.StaticPod.Volume;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.Disk.Entry;
import dev.kip.disk.Disk.Kind;
import dev.kip.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Changes what is on disk, each time at one stroke: data before the name that makes it count, and on the way out the name
 * first. Each method is whole or without effect when the power fails within it; the same call again finishes it.
 */
public final class CheckpointWriter {

    private static final Access MANIFEST = Access.PRIVATE_FILE;

    private final DurableFiles files;
    private final Disk disk;
    private final Layout layout;
    private final Scope scope;
    private final VolumeFiles volumes;

    public CheckpointWriter(DurableFiles files, Layout layout, Scope scope) {
        this.files = files;
        this.disk = files.disk();
        this.layout = layout;
        this.scope = scope;
        this.volumes = new VolumeFiles(files);
    }

    /** Makes the directories that are missing, and finishes or takes away what a power cut left in the middle. Call once, before anything else. */
    public void recover() throws IOException {
        files.ensureDirectory(layout.pods(), Access.PRIVATE_DIRECTORY);
        files.ensureDirectory(layout.trash(), Access.PRIVATE_DIRECTORY);
        for (Path directory : ImmutableList.of(layout.state(), layout.pods(), layout.trash())) {
            disk.setAccess(directory, Access.PRIVATE_DIRECTORY);
        }
        emptyTrash();
        removeUnfinished(layout.state());
        removeUnfinished(layout.manifests());
        for (Entry entry : disk.list(layout.pods())) {
            Path pod = layout.pods().resolve(entry.name());
            removeUnfinished(pod);
            for (Entry inner : disk.list(pod)) {
                if (inner.kind() == Kind.DIRECTORY) {
                    repair(pod.resolve(inner.name()));
                }
            }
        }
        for (Entry entry : disk.list(layout.manifests())) {
            Path file = layout.manifests().resolve(entry.name());
            if (CheckpointReader.activeKey(entry.name()).isPresent() && isOfAnotherNode(file)) {
                files.remove(file);
            }
        }
    }

    private boolean isOfAnotherNode(Path manifest) throws IOException {
        Optional<byte[]> bytes = disk.read(manifest);
        return bytes.isPresent()
                && Manifests.annotation(bytes.get(), Manifests.NODE)
                        .map(node -> !node.equals(scope.node()))
                        .orElse(false);
    }

    private void repair(Path generation) throws IOException {
        removeUnfinished(generation);
        for (Entry volume : disk.list(generation.resolve(Layout.VOLUMES))) {
            Path directory = generation.resolve(Layout.VOLUMES).resolve(volume.name());
            removeUnfinished(directory);
            volumes.repair(directory);
        }
    }

    private void removeUnfinished(Path directory) throws IOException {
        for (Entry entry : disk.list(directory)) {
            Path path = directory.resolve(entry.name());
            if (entry.kind() == Kind.DIRECTORY && entry.name().startsWith(Layout.MAKING)) {
                files.removeTree(path);
            } else if (entry.kind() != Kind.DIRECTORY && isUnfinished(entry.name())) {
                disk.remove(path);
            }
        }
    }

    private static boolean isUnfinished(String name) {
        return name.startsWith(".") && name.endsWith(DurableFiles.UNFINISHED);
    }

    /**
     * Stores a generation. It counts from the moment its directory has its name, and then everything of it is there.
     *
     * @param id the digest of its manifest
     * @param proven a pod of this spec has run here before
     */
    public void store(String id, long sequence, Instant now, Origin origin, StaticPod pod, boolean proven)
            throws IOException {
        PodKey key = origin.pod();
        files.ensureDirectory(layout.pod(key), Access.PRIVATE_DIRECTORY);
        Path making = layout.pod(key).resolve(Layout.MAKING + id);
        files.removeTree(making);
        try {
            write(making, id, sequence, now, origin, pod, proven);
            files.syncTree(making);
            discard(layout.generation(key, id)); // of this name, but not whole
            disk.rename(making, layout.generation(key, id));
        } catch (IOException e) {
            cleanAfter(e, making);
            throw e;
        }
        disk.sync(layout.pod(key));
    }

    private void cleanAfter(IOException failure, Path making) {
        try {
            files.removeTree(making);
        } catch (IOException e) {
            failure.addSuppressed(e); // the next start takes it away
        }
    }

    private void write(
            Path directory, String id, long sequence, Instant now, Origin origin, StaticPod pod, boolean proven)
            throws IOException {
        disk.createDirectory(directory, Access.PRIVATE_DIRECTORY);
        Path volumesDirectory = directory.resolve(Layout.VOLUMES);
        disk.createDirectory(volumesDirectory, Access.PRIVATE_DIRECTORY);
        for (Volume volume : pod.volumes()) {
            volumes.create(volumesDirectory.resolve(volume.name()), volume);
        }
        disk.create(directory.resolve(Layout.GENERATION_FILE), describe(id, sequence, now, origin, pod), MANIFEST);
        if (proven) {
            disk.create(directory.resolve(Layout.PROVEN_FILE), proof(), MANIFEST);
        }
    }

    private static byte[] describe(String id, long sequence, Instant now, Origin origin, StaticPod pod) {
        ObjectNode tree = Trees.empty();
        tree.put("id", id);
        tree.put("sequence", sequence);
        tree.put("stored", now.toString());
        tree.set("origin", origin.toTree());
        ArrayNode names = tree.putArray("volumes");
        pod.volumes().forEach(volume -> names.add(volume.name()));
        tree.set("manifest", pod.manifest());
        return Envelope.seal(tree);
    }

    /** Makes a stored generation the newest again, in its place: a container may have its volumes mounted. */
    public void renew(String id, long sequence, Instant now, Origin origin, StaticPod pod) throws IOException {
        refresh(origin.pod(), id, pod.volumes());
        files.write(
                layout.generation(origin.pod(), id).resolve(Layout.GENERATION_FILE),
                describe(id, sequence, now, origin, pod),
                MANIFEST);
    }

    /** Gives the volumes of a stored generation their newest content. @return whether anything had changed */
    public boolean refresh(PodKey key, String id, ImmutableList<Volume> contents) throws IOException {
        Path directory = layout.generation(key, id);
        boolean changed = false;
        for (Volume volume : contents) {
            changed |= volumes.refresh(
                    directory.resolve(Layout.VOLUMES).resolve(volume.name()),
                    volume,
                    directory.resolve(Layout.MAKING + volume.name()));
        }
        return changed;
    }

    /** Notes that a pod of this generation's spec has run here. */
    public void prove(PodKey key, String id) throws IOException {
        files.write(layout.generation(key, id).resolve(Layout.PROVEN_FILE), proof(), MANIFEST);
    }

    private static byte[] proof() {
        return Envelope.seal(Trees.empty().put("proven", true));
    }

    /** Lets kubelet run the generation. */
    public void activate(Generation generation, int attempt) throws IOException {
        files.ensureDirectory(layout.manifests(), Access.root(0755));
        PodKey key = generation.origin().pod();
        files.write(layout.active(key), Manifests.render(generation, attempt), MANIFEST);
    }

    /** Takes the pod's manifest out of kubelet's sight. */
    public void deactivate(PodKey key) throws IOException {
        Path file = layout.active(key);
        if (disk.look(file).isPresent()) {
            files.remove(file);
        }
    }

    /** Takes away another program's checkpoint of the same pod, which would run beside ours. @return the files that were taken away */
    public ImmutableList<Path> removePredecessors(PodKey key) throws IOException {
        ImmutableList.Builder<Path> removed = ImmutableList.builder();
        for (Entry entry : disk.list(layout.manifests())) {
            Path file = layout.manifests().resolve(entry.name());
            boolean candidate = entry.kind() == Kind.FILE
                    && !entry.name().startsWith(".")
                    && CheckpointReader.activeKey(entry.name()).isEmpty();
            if (candidate && Manifests.isCheckpointOf(disk.read(file).orElse(new byte[0]), key)) {
                files.remove(file);
                removed.add(file);
            }
        }
        return removed.build();
    }

    /** Takes away everything of a pod: first out of kubelet's sight, then at one stroke out of ours. */
    public void forget(PodKey key) throws IOException {
        deactivate(key);
        discard(layout.pod(key));
    }

    /** Takes away one generation. */
    public void drop(PodKey key, String id) throws IOException {
        discard(layout.generation(key, id));
    }

    private void discard(Path directory) throws IOException {
        if (disk.look(directory).isEmpty()) {
            return;
        }
        Path grave = layout.trash().resolve(directory.getFileName().toString());
        files.removeTree(grave);
        disk.rename(directory, grave);
        disk.sync(DurableFiles.parent(directory));
        files.removeTree(grave);
    }

    private void emptyTrash() throws IOException {
        for (Entry entry : disk.list(layout.trash())) {
            files.removeTree(layout.trash().resolve(entry.name()));
        }
    }

    /** Writes one of our own documents, sealed. */
    public void writeDocument(Path file, ObjectNode content) throws IOException {
        files.ensureDirectory(DurableFiles.parent(file), Access.PRIVATE_DIRECTORY);
        files.write(file, Envelope.seal(content), MANIFEST);
    }

    /** Reads one of our own documents; empty if there is none or it is not whole. */
    public Optional<ObjectNode> readDocument(Path file) throws IOException {
        return disk.read(file).flatMap(bytes -> Envelope.open(bytes).value());
    }
}
