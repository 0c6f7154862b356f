package dev.kip.sim.disk;

import dev.kip.disk.Disk.Access;
import dev.kip.disk.Disk.Kind;
import java.util.Map;
import java.util.TreeMap;

/** What a name stands for: as running programs see it, and as it is on the platter. */
abstract sealed class Inode {

    Access access;
    Access durableAccess;

    Inode(Access access) {
        this.access = access;
        this.durableAccess = access;
    }

    abstract Kind kind();

    static final class File extends Inode {
        byte[] content;
        byte[] durable = {};
        boolean synced;

        File(byte[] content, Access access) {
            super(access);
            this.content = content;
        }

        @Override
        Kind kind() {
            return Kind.FILE;
        }
    }

    static final class Directory extends Inode {
        Map<String, Inode> names = new TreeMap<>();
        Map<String, Inode> durable = new TreeMap<>();

        Directory(Access access) {
            super(access);
        }

        @Override
        Kind kind() {
            return Kind.DIRECTORY;
        }
    }

    static final class Link extends Inode {
        final String target;

        Link(String target) {
            super(Access.root(0777));
            this.target = target;
        }

        @Override
        Kind kind() {
            return Kind.LINK;
        }
    }
}
