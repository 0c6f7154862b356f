package dev.kip.sim.planted;

import com.google.common.collect.ImmutableList;
import dev.kip.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The real one, for bugs to override a part of. */
abstract class ForwardingDisk implements Disk {

    private final Disk real;

    ForwardingDisk(Disk real) {
        this.real = real;
    }

    @Override
    public Optional<byte[]> read(Path file) throws IOException {
        return real.read(file);
    }

    @Override
    public ImmutableList<Entry> list(Path directory) throws IOException {
        return real.list(directory);
    }

    @Override
    public Optional<Entry> look(Path path) throws IOException {
        return real.look(path);
    }

    @Override
    public Optional<String> target(Path link) throws IOException {
        return real.target(link);
    }

    @Override
    public void createDirectory(Path directory, Access access) throws IOException {
        real.createDirectory(directory, access);
    }

    @Override
    public void create(Path file, byte[] content, Access access) throws IOException {
        real.create(file, content, access);
    }

    @Override
    public void link(Path link, String target) throws IOException {
        real.link(link, target);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        real.rename(from, to);
    }

    @Override
    public void setAccess(Path path, Access access) throws IOException {
        real.setAccess(path, access);
    }

    @Override
    public void remove(Path path) throws IOException {
        real.remove(path);
    }

    @Override
    public void sync(Path path) throws IOException {
        real.sync(path);
    }

    @Override
    public boolean lock(Path file) throws IOException {
        return real.lock(file);
    }
}
