package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.wall.Pace;
import dev.kip.sim.wall.PartsMissing;
import dev.kip.sim.wall.WallOutcome;
import dev.kip.sim.wall.WallParts;
import dev.kip.sim.wall.WallRunner;
import dev.kip.sim.wall.WorldKind;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/** A few of the scenarios that ship, word for word, as {@code kip sim run --world mock|real} tells them. */
final class ScenarioWorldsIT {

    @TempDir
    Path folder;

    /** A pod's life; a launch whose reply is lost and whose journal is deleted; a cloud that is gone; a controller killed with -9. */
    @ParameterizedTest(name = "{0} in the world {1}")
    @CsvSource({
        "pod-to-gone, MOCK",
        "journal-deleted, MOCK",
        "pod-to-gone, REAL",
        "cell-edited-while-led, REAL",
    })
    void it_passes_whole(String scenario, WorldKind world) throws Exception {
        WallOutcome outcome = new WallRunner(
                        world,
                        parts(world),
                        new Pace(60),
                        folder,
                        line -> System.out.println("real-parts: " + line.text()))
                .tell(StoryFile.find(scenario));

        assertThat(outcome.lacking()).isEmpty();
        assertThat(outcome.problems()).as("%s", outcome.timeline()).isEmpty();
        assertThat(outcome.result()).isEqualTo(WallOutcome.Result.PASSED);
    }

    /** Without them the tests are skipped with the reason, or fail if CI=true. */
    private static WallParts parts(WorldKind world) {
        try {
            return WallParts.find(world, ImmutableMap.copyOf(System.getenv()), Optional.empty(), "moto");
        } catch (PartsMissing missing) {
            System.out.println("real-parts: not run: " + missing.getMessage());
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError(missing.getMessage());
            }
            throw new TestAbortedException(missing.getMessage());
        }
    }
}
