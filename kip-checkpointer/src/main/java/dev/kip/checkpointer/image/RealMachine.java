package dev.kip.checkpointer.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** This machine, or the one whose root is mounted at a directory: programs of that are run by {@code chroot}. */
final class RealMachine implements Machine {

    private static final int PATIENCE_SECONDS = 20;

    private final Optional<Path> root;
    private final Instant now;

    RealMachine(Optional<Path> root, Instant now) {
        this.root = root;
        this.now = now;
    }

    private Path at(String path) {
        return root.map(mounted -> mounted.resolve(path.substring(1))).orElseGet(() -> Path.of(path));
    }

    @Override
    public boolean runs() {
        return root.isEmpty();
    }

    @Override
    public Optional<String> read(String path) {
        try {
            return Optional.of(Files.readString(at(path)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public boolean exists(String path) {
        // A unit is enabled by a link that leads out of a mounted root.
        return Files.exists(at(path)) || Files.isSymbolicLink(at(path));
    }

    @Override
    public Optional<String> run(String... command) {
        ImmutableList.Builder<String> whole = ImmutableList.builder();
        root.ifPresent(mounted -> whole.add("chroot", mounted.toString()));
        Path out;
        try {
            out = Files.createTempFile("image-check", ".txt");
        } catch (IOException e) {
            return Optional.empty();
        }
        try {
            Process process = new ProcessBuilder(whole.add(command).build())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.empty();
            }
            return process.exitValue() == 0 ? Optional.of(Files.readString(out, UTF_8)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            out.toFile().delete();
        }
    }

    @Override
    public boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public long free(String path) {
        Path place = at(path);
        while (!Files.exists(place) && place.getParent() != null) {
            place = place.getParent();
        }
        try {
            return Files.getFileStore(place).getUsableSpace();
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Optional<Instant> changed(String path) {
        try {
            return Optional.of(Files.getLastModifiedTime(at(path)).toInstant());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
