package dev.kip.sim.cli;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.wall.Pace;
import dev.kip.sim.wall.PartsMissing;
import dev.kip.sim.wall.WallParts;
import dev.kip.sim.wall.WorldKind;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of worlds in wall time. */
final class WorldOptions {

    @Option(
            names = "--cloud",
            paramLabel = "moto|URL",
            description =
                    "EC2 of the worlds mock and real: moto's, started here, or one that runs, such as LocalStack's.",
            defaultValue = "moto")
    private String cloud = "moto";

    @Option(
            names = "--parts",
            paramLabel = "DIR",
            description = "Where real-parts/build put the programs; without it $KIP_PARTS, ~/.cache/kip/parts.")
    private @Nullable Path parts;

    @Option(
            names = "--pace",
            paramLabel = "N",
            description =
                    "In the worlds mock and real, waits longer than 20 s take an N-th of it, but never less than 20 s"
                            + " (${DEFAULT-VALUE}); 1 keeps them.",
            defaultValue = "60")
    private int pace = 60;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where runs in the worlds mock and real keep their files and logs, default ${DEFAULT-VALUE}.",
            defaultValue = ".kip/worlds")
    private Path data = Path.of(".kip/worlds");

    Pace pace() {
        if (pace < 1) {
            throw new UsageProblem("--pace " + pace + " is no pace: give 1 or more");
        }
        return new Pace(pace);
    }

    Path data() {
        return data.toAbsolutePath();
    }

    /** What the world needs; told before anything is started if it is missing. */
    WallParts parts(WorldKind world) {
        try {
            return WallParts.find(world, ImmutableMap.copyOf(System.getenv()), Optional.ofNullable(parts), cloud);
        } catch (PartsMissing e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }
}
