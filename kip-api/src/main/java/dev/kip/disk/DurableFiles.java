package dev.kip.disk;

import dev.kip.disk.Disk.Access;
import dev.kip.disk.Disk.Entry;
import dev.kip.disk.Disk.Kind;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Whole changes made of a disk's steps: after a power cut at any of them there is the state before or the state after,
 * never a third. What is unfinished has a name with a leading dot, which kubelet overlooks.
 */
public final class DurableFiles {

    /** Ends the names of unfinished files. */
    public static final String UNFINISHED = ".unfinished";

    private final Disk disk;

    public DurableFiles(Disk disk) {
        this.disk = disk;
    }

    public Disk disk() {
        return disk;
    }

    /** The file has this content and access, whatever was there before. */
    public void write(Path file, byte[] content, Access access) throws IOException {
        Path unfinished = unfinished(file);
        disk.remove(unfinished);
        try {
            disk.create(unfinished, content, access);
            disk.sync(unfinished);
            disk.rename(unfinished, file);
        } catch (IOException e) {
            removeAfter(e, unfinished);
            throw e;
        }
        disk.sync(parent(file));
    }

    /** The link leads to {@code target}, wherever it led before. */
    public void link(Path link, String target) throws IOException {
        Path unfinished = unfinished(link);
        disk.remove(unfinished);
        try {
            disk.link(unfinished, target);
            disk.rename(unfinished, link);
        } catch (IOException e) {
            removeAfter(e, unfinished);
            throw e;
        }
        disk.sync(parent(link));
    }

    /** The file or link is gone. */
    public void remove(Path path) throws IOException {
        disk.remove(path);
        disk.sync(parent(path));
    }

    /** The directory and all above it are there; those that had to be made have {@code access}. */
    public void ensureDirectory(Path directory, Access access) throws IOException {
        if (disk.look(directory).isEmpty()) {
            Path parent = directory.getParent();
            if (parent != null) {
                ensureDirectory(parent, access);
            }
            disk.createDirectory(directory, access);
            if (parent != null) {
                disk.sync(parent);
            }
        }
    }

    /** Takes away a directory with all that is in it. Not at one stroke: first give it a name that nobody looks at. */
    public void removeTree(Path directory) throws IOException {
        for (Entry entry : disk.list(directory)) {
            Path path = directory.resolve(entry.name());
            if (entry.kind() == Kind.DIRECTORY) {
                removeTree(path);
            } else {
                disk.remove(path);
            }
        }
        disk.remove(directory);
    }

    /** Syncs every file and directory of a new tree, so that it may be given its name. */
    public void syncTree(Path directory) throws IOException {
        for (Entry entry : disk.list(directory)) {
            Path path = directory.resolve(entry.name());
            if (entry.kind() == Kind.DIRECTORY) {
                syncTree(path);
            } else if (entry.kind() == Kind.FILE) {
                disk.sync(path);
            }
        }
        disk.sync(directory);
    }

    public static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(path + " has no parent directory");
        }
        return parent;
    }

    private static Path unfinished(Path file) {
        return parent(file).resolve("." + file.getFileName() + UNFINISHED);
    }

    private void removeAfter(IOException failure, Path unfinished) {
        try {
            disk.remove(unfinished);
        } catch (IOException e) {
            failure.addSuppressed(e); // a later write or the next start takes it away
        }
    }
}
