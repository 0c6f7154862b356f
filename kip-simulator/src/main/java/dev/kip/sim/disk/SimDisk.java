package dev.kip.sim.disk;

import com.google.common.collect.ImmutableList;
import dev.kip.disk.Disk;
import dev.kip.sim.disk.Inode.Directory;
import dev.kip.sim.disk.Inode.File;
import dev.kip.sim.disk.Inode.Link;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The disk of one machine. Contents survive a power cut once their file was synced, names once a directory was that they
 * are in; what was not synced fares as its {@link Fate} has it, each change on its own. A rename within one file system
 * is one change. Confined to the kernel's thread.
 */
public final class SimDisk {

    private final Directory root = new Directory(Disk.Access.root(0755));
    private final List<Renaming> pending = new ArrayList<>();
    private final Map<Path, String> locks = new LinkedHashMap<>();
    private final List<String> steps = new ArrayList<>();
    private OptionalLong cutBefore = OptionalLong.empty();
    private long bytesLeft = Long.MAX_VALUE;
    private boolean readOnly;

    /** The disk as one process has it: its locks are given up by {@link #release}. */
    public Disk as(String holder) {
        return new Mount(holder);
    }

    /** The process is gone: others may have its locks. */
    public void release(String holder) {
        locks.values().removeIf(holder::equals);
    }

    /** The power fails before the step of this number, counted from 0 since the disk was made. */
    public void cutBefore(long step) {
        cutBefore = OptionalLong.of(step);
    }

    /** What was changed so far, for messages. */
    public ImmutableList<String> steps() {
        return ImmutableList.copyOf(steps);
    }

    /** So many bytes of new files fit; the one that does not fit is there in part. */
    public void room(long bytes) {
        bytesLeft = bytes;
    }

    public boolean takesAll() {
        return !readOnly && bytesLeft == Long.MAX_VALUE;
    }

    public void readOnly(boolean value) {
        readOnly = value;
    }

    /** How many changes of names a power cut could still undo. */
    public int unsynced() {
        return pending.size();
    }

    /** A bit of a file turns over, on the platter too. */
    public void flip(Path path, int bit) {
        File file = fileAt(path);
        byte[] content = file.content.clone();
        content[bit / 8] ^= (byte) (1 << bit % 8);
        file.content = content;
        file.durable = content;
    }

    /** A file loses its end, on the platter too. */
    public void truncate(Path path, int bytes) {
        File file = fileAt(path);
        file.content = Arrays.copyOf(file.content, bytes);
        file.durable = file.content;
    }

    /** The power fails and comes back: this is what the machine then finds. Locks are gone. */
    public void powerCycle(Fate fate) {
        for (int i = 0; i < pending.size(); i++) {
            if (fate.kept(i)) {
                pending.get(i).write();
            }
        }
        pending.clear();
        locks.clear();
        cutBefore = OptionalLong.empty();
        forget(root, fate, new LinkedHashSet<>());
    }

    private static void forget(Directory directory, Fate fate, Set<Inode> seen) {
        directory.names = new java.util.TreeMap<>(directory.durable);
        directory.access = directory.durableAccess;
        for (Inode inode : directory.names.values()) {
            if (!seen.add(inode)) {
                continue;
            }
            inode.access = inode.durableAccess;
            if (inode instanceof Directory inner) {
                forget(inner, fate, seen);
            } else if (inode instanceof File file) {
                if (!file.synced) {
                    file.durable = remains(file.content, fate.remains(seen.size()));
                    file.synced = true;
                }
                file.content = file.durable;
            }
        }
    }

    private static byte[] remains(byte[] content, Fate.Remains remains) {
        return switch (remains) {
            case ALL -> content;
            case NOTHING -> new byte[0];
            case TORN -> Arrays.copyOf(content, content.length / 2);
            case ZEROS -> new byte[content.length];
        };
    }

    private File fileAt(Path path) {
        if (resolve(path, true) instanceof File file) {
            return file;
        }
        throw new IllegalArgumentException("no file " + path);
    }

    private void step(String what, Path path) throws IOException {
        String step = what + " " + path;
        if (cutBefore.isPresent() && cutBefore.getAsLong() <= steps.size()) {
            throw new PowerCut(step);
        }
        steps.add(step);
        if (readOnly) {
            throw new FileSystemException(path.toString(), null, "Read-only file system");
        }
    }

    private @Nullable Inode resolve(Path path, boolean followLast) {
        Inode at = root;
        List<Path> trail = new ArrayList<>();
        path.forEach(trail::add);
        Path soFar = Path.of("/");
        for (int i = 0; i < trail.size(); i++) {
            if (!(at instanceof Directory directory)) {
                return null;
            }
            Inode next = directory.names.get(trail.get(i).toString());
            boolean last = i == trail.size() - 1;
            if (next instanceof Link link && (!last || followLast)) {
                Path rest = soFar.resolve(link.target);
                for (Path more : trail.subList(i + 1, trail.size())) {
                    rest = rest.resolve(more);
                }
                return resolve(rest.normalize(), followLast);
            }
            if (next == null) {
                return null;
            }
            soFar = soFar.resolve(trail.get(i));
            at = next;
        }
        return at;
    }

    private Directory parentOf(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null && resolve(parent, true) instanceof Directory directory) {
            return directory;
        }
        throw new NoSuchFileException(path.toString());
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    private void addNew(Path path, Inode inode) throws IOException {
        Directory parent = parentOf(path);
        if (parent.names.containsKey(name(path))) {
            throw new FileAlreadyExistsException(path.toString());
        }
        change(new Renaming(ImmutableList.of(new Renaming.Name(parent, name(path), Optional.of(inode)))));
    }

    private void change(Renaming renaming) {
        renaming.show();
        pending.add(renaming);
    }

    /** A change of names that is on the platter whole or not at all. */
    private record Renaming(ImmutableList<Name> names) {

        record Name(Directory directory, String name, Optional<Inode> inode) {}

        void show() {
            for (Name one : names) {
                put(one.directory().names, one);
            }
        }

        void write() {
            for (Name one : names) {
                put(one.directory().durable, one);
            }
        }

        private static void put(Map<String, Inode> names, Name one) {
            one.inode().ifPresentOrElse(inode -> names.put(one.name(), inode), () -> names.remove(one.name()));
        }

        boolean touches(Directory directory) {
            return names.stream().anyMatch(one -> one.directory() == directory);
        }
    }

    private final class Mount implements Disk {

        private final String holder;

        Mount(String holder) {
            this.holder = holder;
        }

        @Override
        public Optional<byte[]> read(Path file) throws IOException {
            Inode inode = resolve(file, true);
            if (inode instanceof Directory) {
                throw new FileSystemException(file.toString(), null, "Is a directory");
            }
            return inode instanceof File found ? Optional.of(found.content.clone()) : Optional.empty();
        }

        @Override
        public ImmutableList<Entry> list(Path directory) {
            ImmutableList.Builder<Entry> entries = ImmutableList.builder();
            if (resolve(directory, true) instanceof Directory found) {
                found.names.forEach((name, inode) -> entries.add(entry(name, inode)));
            }
            return entries.build();
        }

        @Override
        public Optional<Entry> look(Path path) {
            return Optional.ofNullable(resolve(path, false)).map(inode -> entry(name(path), inode));
        }

        private static Entry entry(String name, Inode inode) {
            return new Entry(name, inode.kind(), inode.access, inode instanceof File file ? file.content.length : 0);
        }

        @Override
        public Optional<String> target(Path link) {
            return resolve(link, false) instanceof Link found ? Optional.of(found.target) : Optional.empty();
        }

        @Override
        public void createDirectory(Path directory, Access access) throws IOException {
            step("create directory", directory);
            addNew(directory, new Directory(access));
        }

        @Override
        public void create(Path file, byte[] content, Access access) throws IOException {
            step("create", file);
            if (content.length > bytesLeft) {
                addNew(file, new File(Arrays.copyOf(content, (int) bytesLeft), access));
                bytesLeft = 0;
                throw new FileSystemException(file.toString(), null, "No space left on device");
            }
            addNew(file, new File(content.clone(), access));
            bytesLeft -= content.length;
        }

        @Override
        public void link(Path link, String target) throws IOException {
            step("link", link);
            addNew(link, new Link(target));
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            step("rename to", to);
            Inode moved = resolve(from, false);
            if (moved == null) {
                throw new NoSuchFileException(from.toString());
            }
            Inode replaced = resolve(to, false);
            boolean fits = replaced == null
                    || (moved instanceof Directory
                            ? replaced instanceof Directory directory && directory.names.isEmpty()
                            : !(replaced instanceof Directory));
            if (!fits) {
                throw new FileSystemException(to.toString(), null, "Directory not empty");
            }
            change(new Renaming(ImmutableList.of(
                    new Renaming.Name(parentOf(from), name(from), Optional.empty()),
                    new Renaming.Name(parentOf(to), name(to), Optional.of(moved)))));
        }

        @Override
        public void setAccess(Path path, Access access) throws IOException {
            step("set access of", path);
            Inode inode = resolve(path, false);
            if (inode == null) {
                throw new NoSuchFileException(path.toString());
            }
            inode.access = access;
        }

        @Override
        public void remove(Path path) throws IOException {
            step("remove", path);
            Inode inode = resolve(path, false);
            if (inode == null) {
                return;
            }
            if (inode instanceof Directory directory && !directory.names.isEmpty()) {
                throw new FileSystemException(path.toString(), null, "Directory not empty");
            }
            if (inode instanceof File file && bytesLeft != Long.MAX_VALUE) {
                bytesLeft += file.content.length;
            }
            change(new Renaming(ImmutableList.of(new Renaming.Name(parentOf(path), name(path), Optional.empty()))));
        }

        @Override
        public void sync(Path path) throws IOException {
            step("sync", path);
            Inode inode = resolve(path, true);
            if (inode == null) {
                throw new NoSuchFileException(path.toString());
            }
            inode.durableAccess = inode.access;
            if (inode instanceof File file) {
                file.durable = file.content;
                file.synced = true;
            } else if (inode instanceof Directory directory) {
                for (Iterator<Renaming> i = pending.iterator(); i.hasNext(); ) {
                    Renaming renaming = i.next();
                    if (renaming.touches(directory)) {
                        renaming.write();
                        i.remove();
                    }
                }
            }
        }

        @Override
        public boolean lock(Path file) throws IOException {
            parentOf(file);
            if (resolve(file, true) == null) {
                create(file, new byte[0], Access.PRIVATE_FILE);
            }
            return locks.computeIfAbsent(file, free -> holder).equals(holder);
        }
    }
}
