package dev.kip.disk.nio;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Files of a POSIX system. Owners are changed only where they differ, so that it works for a user that may not. */
public final class NioDisk implements Disk {

    private static final PosixFilePermission[] BITS = {
        PosixFilePermission.OTHERS_EXECUTE,
        PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_READ,
        PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.GROUP_WRITE,
        PosixFilePermission.GROUP_READ,
        PosixFilePermission.OWNER_EXECUTE,
        PosixFilePermission.OWNER_WRITE,
        PosixFilePermission.OWNER_READ
    };

    /** Open for the life of the process: closing one would give up the lock. */
    private final Map<Path, FileLock> locks = new LinkedHashMap<>();

    @Override
    public Optional<byte[]> read(Path file) throws IOException {
        try {
            return Optional.of(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public ImmutableList<Entry> list(Path directory) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
            for (Path path : paths) {
                look(path).ifPresent(entries::add);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return ImmutableList.of();
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        entries.sort(Comparator.comparing(Entry::name));
        return ImmutableList.copyOf(entries);
    }

    @Override
    public Optional<Entry> look(Path path) throws IOException {
        Map<String, Object> attributes;
        try {
            attributes = Files.readAttributes(path, "unix:mode,uid,gid,size", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (FileSystemException e) {
            if (String.valueOf(e.getReason()).contains("Not a directory")) {
                return Optional.empty();
            }
            throw e;
        }
        int mode = number(attributes, "mode").intValue();
        Kind kind = switch (mode & 0170000) {
            case 0100000 -> Kind.FILE;
            case 0040000 -> Kind.DIRECTORY;
            case 0120000 -> Kind.LINK;
            default -> Kind.OTHER;
        };
        Access access = new Access(
                mode & 07777,
                number(attributes, "uid").intValue(),
                number(attributes, "gid").intValue());
        return Optional.of(new Entry(
                String.valueOf(path.getFileName()),
                kind,
                access,
                number(attributes, "size").longValue()));
    }

    private static Number number(Map<String, Object> attributes, String name) throws IOException {
        if (attributes.get(name) instanceof Number number) {
            return number;
        }
        throw new IOException("this file system says no " + name);
    }

    @Override
    public Optional<String> target(Path link) throws IOException {
        Optional<Entry> entry = look(link);
        return entry.isPresent() && entry.get().kind() == Kind.LINK
                ? Optional.of(Files.readSymbolicLink(link).toString())
                : Optional.empty();
    }

    @Override
    public void createDirectory(Path directory, Access access) throws IOException {
        Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(permissions(0700)));
        setAccess(directory, access);
    }

    @Override
    public void create(Path file, byte[] content, Access access) throws IOException {
        // Readable by nobody else from the first moment on, whatever the umask.
        try (FileChannel channel = FileChannel.open(
                file, ImmutableSet.of(CREATE_NEW, WRITE), PosixFilePermissions.asFileAttribute(permissions(0600)))) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
        }
        setAccess(file, access);
    }

    @Override
    public void link(Path link, String target) throws IOException {
        Files.createSymbolicLink(link, Path.of(target));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void setAccess(Path path, Access access) throws IOException {
        Access now = look(path)
                .orElseThrow(() -> new NoSuchFileException(path.toString()))
                .access();
        if (now.uid() != access.uid()) {
            Files.setAttribute(path, "unix:uid", access.uid(), LinkOption.NOFOLLOW_LINKS);
        }
        if (now.gid() != access.gid()) {
            Files.setAttribute(path, "unix:gid", access.gid(), LinkOption.NOFOLLOW_LINKS);
        }
        Files.setPosixFilePermissions(path, permissions(access.mode()));
    }

    @Override
    public void remove(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, READ)) {
            channel.force(true);
        }
    }

    /** POSIX record locks: they exclude other programs that use such, not those that use flock(2). */
    @Override
    public boolean lock(Path file) throws IOException {
        if (locks.containsKey(file)) {
            return true;
        }
        FileChannel channel = FileChannel.open(
                file,
                ImmutableSet.of(StandardOpenOption.CREATE, WRITE),
                PosixFilePermissions.asFileAttribute(permissions(0600)));
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                locks.put(file, lock);
                return true;
            }
        } catch (OverlappingFileLockException e) {
            // Someone else in this very process holds it, and would lose it if the file were closed.
            return false;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return false;
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < BITS.length; bit++) {
            if ((mode & 1 << bit) != 0) {
                permissions.add(BITS[bit]);
            }
        }
        return permissions;
    }
}
