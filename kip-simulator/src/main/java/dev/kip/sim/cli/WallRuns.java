package dev.kip.sim.cli;

import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.wall.Carriage;
import dev.kip.sim.wall.WallOutcome;
import dev.kip.sim.wall.WallParts;
import dev.kip.sim.wall.WallRunner;
import dev.kip.sim.wall.WorldKind;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;

/** {@code kip sim run --world mock|real}. */
final class WallRuns {

    private static final int FAILED = 1;
    private static final int PARTIAL = 3;

    private final WorldKind world;
    private final WorldOptions options;
    private final boolean json;
    private final boolean quiet;
    private final PrintWriter out;

    WallRuns(WorldKind world, WorldOptions options, boolean json, boolean quiet, PrintWriter out) {
        this.world = world;
        this.options = options;
        this.json = json;
        this.quiet = quiet;
        this.out = out;
    }

    /** @return the exit code */
    int run(List<String> names) {
        WallParts parts = options.parts(world);
        List<StoryFile> stories = names.stream()
                .map(name -> {
                    SimCommand.find(name); // wrong words are told
                    return SimCommand.story(name).with("replay", Optional.empty());
                })
                .toList();
        boolean failed = false;
        boolean partial = false;
        for (StoryFile story : stories) {
            announce(story);
            WallOutcome outcome = tell(parts, story);
            out.println(json ? WallReports.json(outcome) : WallReports.text(outcome));
            out.flush();
            failed |= outcome.result() == WallOutcome.Result.FAILED;
            partial |= outcome.result() == WallOutcome.Result.PARTIAL;
        }
        return failed ? FAILED : partial ? PARTIAL : 0;
    }

    /** What will not be carried is named before anything is started. */
    private void announce(StoryFile story) {
        if (json) {
            return;
        }
        Carriage.Told told = Carriage.of(story);
        out.println(story.name().replaceFirst("\\.ya?ml$", "") + " in the world " + world
                + (told.whole()
                        ? ", whole"
                        : !told.possible()
                                ? ", not told: partial, since this is not carried:"
                                : ", partial, since this is not carried and left out:"));
        told.lacking().forEach(lack -> out.println("  " + lack));
        out.flush();
    }

    private WallOutcome tell(WallParts parts, StoryFile story) {
        try {
            return new WallRunner(world, parts, options.pace(), options.data(), line -> {
                        if (!quiet && !json) {
                            out.println(WallReports.line(line));
                            out.flush();
                        }
                    })
                    .tell(story);
        } catch (YamlProblem | IOException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }
}
