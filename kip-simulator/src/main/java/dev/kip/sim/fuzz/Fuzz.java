package dev.kip.sim.fuzz;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.yaml.YamlProblem;
import java.util.Optional;

/** Tells drawn histories. Safe for several threads: each history has a world of its own. */
public final class Fuzz {

    /** The group of histories in worlds that differ, guided by what is new. */
    public static final String SWARM = "swarm";

    /** Names of the groups of histories. */
    public static final ImmutableList<String> GROUPS = ImmutableList.of(SWARM, "ownership");

    private Fuzz() {}

    /** The file of the history that this seed draws. */
    public static String story(long seed) {
        return OwnershipHistory.yaml(seed);
    }

    /** The run of this recipe, as {@link Campaign.Job#text} writes it, in the usual world or one of the swarm. */
    public static Replay replay(String group, String recipe, Optional<String> plant) {
        Recipe read = Recipe.parse(recipe);
        return group.equals(SWARM) ? Swarm.draw(read, plant) : replay(read.seed(), plant);
    }

    static Replay replay(long seed, Optional<String> plant) {
        try {
            return new Replay(
                    StoryFile.read("ownership-" + seed + ".yaml", story(seed)), seed, plant, Optional.empty());
        } catch (YamlProblem e) {
            throw new IllegalStateException("seed " + seed + " draws a broken file", e);
        }
    }

    /** Tells the history of this seed. A bug of the simulator or of the controller that throws is a problem too. */
    public static Outcomes tell(long seed, boolean keepTimeline) {
        return replay(seed, Optional.empty()).tell(keepTimeline);
    }
}
