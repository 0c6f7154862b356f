package dev.kip.sim.replay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A folder of replay files, one for each way of failing. */
public final class Failures {

    private final Path folder;

    /** @param folder is made when the first failure is kept */
    public Failures(Path folder) {
        this.folder = folder;
    }

    /** The file of a failure and whether it was not there before. */
    public record Kept(Path file, boolean isNew) {}

    /**
     * Keeps the run, unless one that fails the same way is there already.
     *
     * @throws IllegalArgumentException if it did not fail
     */
    public Kept keep(Replay replay) {
        Signature signature = replay.signature()
                .orElseThrow(() -> new IllegalArgumentException("only a run that failed is kept as a failure"));
        Path file = folder.resolve(name(replay, signature) + ".yaml");
        if (Files.exists(file)) {
            return new Kept(file, false);
        }
        write(file, replay.text());
        return new Kept(file, true);
    }

    /** The file of a failure that was shrunk, and of the test that tells it. */
    public record Shortened(Path story, Path test) {}

    /** Keeps a run that was shrunk, beside the one from which it was made, with its test; replaces what was kept before. */
    public Shortened keepShort(Replay replay) {
        String name = name(
                replay,
                replay.signature()
                        .orElseThrow(
                                () -> new IllegalArgumentException("only a run that failed is kept as a failure")));
        String className = JUnitTest.className(name);
        Shortened files = new Shortened(folder.resolve(name + ".min.yaml"), folder.resolve(className + ".java"));
        write(files.story, replay.text());
        write(files.test, JUnitTest.source(replay, className));
        return files;
    }

    private static String name(Replay replay, Signature signature) {
        return replay.plant().map(bug -> bug + "-").orElse("") + signature.slug();
    }

    private void write(Path file, String text) {
        try {
            Files.createDirectories(folder);
            Path unfinished = Files.createTempFile(folder, ".kept", ".tmp");
            Files.writeString(unfinished, text);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the failure cannot be kept in " + folder, e);
        }
    }
}
