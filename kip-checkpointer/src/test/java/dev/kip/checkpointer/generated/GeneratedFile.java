package dev.kip.checkpointer.generated;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A checked-in file that is generated from code: must be as generated, and is written anew on demand. */
final class GeneratedFile {

    private static final boolean REGENERATE = Boolean.getBoolean("kip.regenerate");

    private GeneratedFile() {}

    /** @param path relative to the repository's root */
    static void mustBe(String path, String content) {
        Path file = Path.of("..").resolve(path);
        try {
            if (REGENERATE) {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Files.writeString(file, content);
            }
            assertThat(Files.exists(file) ? Files.readString(file) : "")
                    .as(
                            "%s is not as the code says. Write it anew with:%n  mvn -q test -pl kip-checkpointer -am"
                                    + " -Dtest='*GeneratedTest' -Dsurefire.failIfNoSpecifiedTests=false -Dkip.regenerate=true"
                                    + "%nand commit it.",
                            path)
                    .isEqualTo(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
