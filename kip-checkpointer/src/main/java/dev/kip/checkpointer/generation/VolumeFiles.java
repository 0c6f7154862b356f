package dev.kip.checkpointer.generation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.checkpointer.sanitise.StaticPod.File;
import dev.kip.checkpointer.sanitise.StaticPod.Volume;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.Disk.Entry;
import dev.kip.disk.Disk.Kind;
import dev.kip.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;

/**
 * A volume's directory, laid out as kubelet lays out its own: the files are in a directory named by the digest of all of
 * them, {@code ..data} is a link to it, and each file is a link through that. Turning {@code ..data} changes all files at one
 * stroke, for the pod that has them mounted too; the revision before stays, in case the newest rots.
 */
public final class VolumeFiles {

    private static final String DATA = "..data";
    private static final String REVISION = "..";
    private static final Access DIRECTORY = Access.root(0755);

    private final DurableFiles files;
    private final Disk disk;

    public VolumeFiles(DurableFiles files) {
        this.files = files;
        this.disk = files.disk();
    }

    /** Makes the directory of a new volume. Nothing is synced. */
    void create(Path directory, Volume volume) throws IOException {
        String revision = Trees.digest(volume);
        disk.createDirectory(directory, DIRECTORY);
        writeRevision(directory.resolve(REVISION + revision), volume);
        disk.link(directory.resolve(DATA), REVISION + revision);
        for (String name : topLevel(volume)) {
            disk.link(directory.resolve(name), DATA + "/" + name);
        }
    }

    /**
     * The directory has this content, durably, at one stroke.
     *
     * @param scratch a name beside it for what is not finished; on the same file system
     * @return whether anything had to be changed
     */
    public boolean refresh(Path directory, Volume volume, Path scratch) throws IOException {
        String revision = Trees.digest(volume);
        Optional<String> current = current(directory);
        if (current.equals(Optional.of(revision))) {
            return false;
        }
        Path target = directory.resolve(REVISION + revision);
        files.removeTree(scratch);
        files.removeTree(target); // one that rotted, or was there before and is not known to be whole
        writeRevision(scratch, volume);
        files.syncTree(scratch);
        disk.rename(scratch, target);
        disk.sync(DurableFiles.parent(scratch));
        // A link that leads nowhere yet is harmless; a file without its link would be missing after a power cut.
        for (String name : topLevel(volume)) {
            if (disk.look(directory.resolve(name)).isEmpty()) {
                disk.link(directory.resolve(name), DATA + "/" + name);
            }
        }
        disk.sync(directory);
        turn(directory, revision);
        tidy(directory, topLevel(volume), revision, current);
        return true;
    }

    private void tidy(Path directory, ImmutableSortedSet<String> topLevel, String revision, Optional<String> previous)
            throws IOException {
        for (Entry entry : disk.list(directory)) {
            String name = entry.name();
            Path path = directory.resolve(name);
            boolean stale = !name.equals(DATA)
                    && !name.equals(REVISION + revision)
                    && !previous.map(before -> name.equals(REVISION + before)).orElse(false)
                    && !topLevel.contains(name);
            if (stale && entry.kind() == Kind.DIRECTORY) {
                files.removeTree(path);
            } else if (stale) {
                disk.remove(path);
            }
        }
        disk.sync(directory);
    }

    /** The revision that {@code ..data} leads to, if all its files are as they were written. */
    Optional<String> current(Path directory) throws IOException {
        Optional<String> target = disk.target(directory.resolve(DATA));
        return target.isPresent() && target.get().startsWith(REVISION)
                ? whole(directory, target.get().substring(REVISION.length()))
                : Optional.empty();
    }

    /** Turns {@code ..data} to the revision before if the current one rotted. @return the revision now, if any is whole */
    Optional<String> repair(Path directory) throws IOException {
        Optional<String> current = current(directory);
        if (current.isPresent()) {
            return current;
        }
        for (Entry entry : disk.list(directory)) {
            if (entry.kind() == Kind.DIRECTORY && entry.name().startsWith(REVISION)) {
                Optional<String> whole = whole(directory, entry.name().substring(REVISION.length()));
                if (whole.isPresent()) {
                    turn(directory, whole.get());
                    return whole;
                }
            }
        }
        return Optional.empty();
    }

    private void turn(Path directory, String revision) throws IOException {
        files.link(directory.resolve(DATA), REVISION + revision);
    }

    private Optional<String> whole(Path directory, String revision) throws IOException {
        ImmutableList.Builder<File> found = ImmutableList.builder();
        Path revisionDirectory = directory.resolve(REVISION + revision);
        if (disk.look(revisionDirectory).isEmpty()) {
            return Optional.empty();
        }
        read(revisionDirectory, "", found);
        String digest = Trees.digest(new Volume("", found.build()));
        return digest.equals(revision) ? Optional.of(revision) : Optional.empty();
    }

    private void read(Path directory, String prefix, ImmutableList.Builder<File> found) throws IOException {
        for (Entry entry : disk.list(directory)) {
            Path path = directory.resolve(entry.name());
            if (entry.kind() == Kind.DIRECTORY) {
                read(path, prefix + entry.name() + "/", found);
            } else {
                byte[] content = disk.read(path).orElse(new byte[0]);
                Access access = entry.access();
                found.add(new File(
                        prefix + entry.name(),
                        Base64.getEncoder().encodeToString(content),
                        access.mode(),
                        access.uid(),
                        access.gid()));
            }
        }
    }

    private void writeRevision(Path directory, Volume volume) throws IOException {
        disk.createDirectory(directory, DIRECTORY);
        for (File file : volume.files()) {
            Path path = directory.resolve(file.path()).normalize();
            if (!path.startsWith(directory) || path.equals(directory)) {
                throw new IOException("volume " + volume.name() + ": the path " + file.path() + " leads out of it");
            }
            files.ensureDirectory(DurableFiles.parent(path), DIRECTORY);
            disk.create(
                    path,
                    Base64.getDecoder().decode(file.contentBase64()),
                    new Access(file.mode(), file.uid(), file.gid()));
        }
    }

    private static ImmutableSortedSet<String> topLevel(Volume volume) {
        return volume.files().stream()
                .map(file -> file.path().split("/", 2)[0])
                .collect(ImmutableSortedSet.toImmutableSortedSet(java.util.Comparator.naturalOrder()));
    }
}
