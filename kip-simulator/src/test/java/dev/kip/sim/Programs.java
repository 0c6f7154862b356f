package dev.kip.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Programs that some tests drive, where they are installed. */
public final class Programs {

    private Programs() {}

    /**
     * Where the program is. Without it a test is skipped, and says so; in CI it fails, so that a part that could not be
     * exercised never passes for one that was.
     */
    public static Optional<Path> find(String name) {
        Optional<Path> program = Splitter.on(':')
                .splitToStream(Strings.nullToEmpty(System.getenv("PATH")))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
        if (System.getenv("CI") != null) {
            assertThat(program).as("in CI %s must be on PATH", name).isPresent();
        }
        return program;
    }
}
