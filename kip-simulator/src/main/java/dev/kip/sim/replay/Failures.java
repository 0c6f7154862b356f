package dev.kip.sim.replay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
        Path file = folder.resolve(replay.plant().map(bug -> bug + "-").orElse("") + signature.slug() + ".yaml");
        try {
            if (Files.exists(file)) {
                return new Kept(file, false);
            }
            Files.createDirectories(folder);
            Path unfinished = Files.createTempFile(folder, ".kept", ".tmp");
            Files.writeString(unfinished, replay.text());
            Files.move(
                    unfinished,
                    file,
                    java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            return new Kept(file, true);
        } catch (IOException e) {
            throw new UncheckedIOException("the failure cannot be kept in " + folder, e);
        }
    }
}
