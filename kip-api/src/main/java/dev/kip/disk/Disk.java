package dev.kip.disk;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files of a machine, by single steps between which the power may fail. Nothing is promised to survive that but what
 * was synced: a file's content by syncing the file, its name by syncing its directory. {@link DurableFiles} combines the
 * steps. Blocks; called on the loop. A step that fails throws and leaves what was there, except that a file which could not
 * be created in full may be there in part.
 */
public interface Disk {

    /** The content of a file; empty if there is none. Follows symbolic links. */
    Optional<byte[]> read(Path file) throws IOException;

    /** What a directory holds, by name; empty if there is no such directory. */
    ImmutableList<Entry> list(Path directory) throws IOException;

    /** What is at {@code path}, itself if it is a symbolic link; empty if nothing. */
    Optional<Entry> look(Path path) throws IOException;

    /** Where a symbolic link leads, as it was written; empty if there is no such link. */
    Optional<String> target(Path link) throws IOException;

    /** Makes one directory in one that exists. */
    void createDirectory(Path directory, Access access) throws IOException;

    /** Makes a new file with its content and access. */
    void create(Path file, byte[] content, Access access) throws IOException;

    /** Makes a new symbolic link. */
    void link(Path link, String target) throws IOException;

    /** Gives {@code from} the name {@code to}, at one stroke, in place of a file or link of that name. A directory replaces nothing but an empty one. */
    void rename(Path from, Path to) throws IOException;

    /** Sets mode and owner of what exists. */
    void setAccess(Path path, Access access) throws IOException;

    /** Takes away a file, a link, or an empty directory; nothing there is no error. */
    void remove(Path path) throws IOException;

    /** What was written to the file, or which names the directory has, survives a power cut once this returns. */
    void sync(Path path) throws IOException;

    /**
     * Takes the lock that this file stands for; the file is made if it is not there. It is held until the process ends.
     *
     * @return false if another process holds it
     */
    boolean lock(Path file) throws IOException;

    /** Kinds of entries of a directory. */
    enum Kind {
        FILE,
        DIRECTORY,
        LINK,
        OTHER
    }

    /**
     * An entry of a directory.
     *
     * @param bytes the size of a file
     */
    record Entry(String name, Kind kind, Access access, long bytes) {}

    /**
     * Who may do what.
     *
     * @param mode permission bits, for example 0600, octal
     */
    record Access(int mode, int uid, int gid) {

        /** Of root alone. */
        public static final Access PRIVATE_FILE = root(0600);

        public static final Access PRIVATE_DIRECTORY = root(0700);

        public static Access root(int mode) {
            return new Access(mode, 0, 0);
        }
    }
}
