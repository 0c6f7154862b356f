package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;

/**
 * How much shorter long waits of a story are told in wall time, where the controller's windows are short too.
 *
 * @param divisor of every {@code wait} longer than {@link #KEPT}; 1 for none
 */
public record Pace(int divisor) {

    /** Waits up to this long are told as they are, and none becomes shorter. */
    static final Duration KEPT = Duration.ofSeconds(20);

    /** The story with its waits at this pace. */
    StoryFile applied(StoryFile story) throws YamlProblem {
        ImmutableList.Builder<Yaml> steps = ImmutableList.builder();
        for (Yaml step : story.items("steps")) {
            steps.add(paced(story.name(), step));
        }
        return story.withItems("steps", steps.build());
    }

    private Yaml paced(String file, Yaml step) throws YamlProblem {
        if (!(step instanceof Yaml.Mapping map)
                || !(map.entries().get("wait") instanceof Yaml.Scalar wait)
                || divisor <= 1) {
            return step;
        }
        Duration length = ScenarioReader.time(file, wait);
        if (length.compareTo(KEPT) <= 0) {
            return step;
        }
        Duration shorter = length.dividedBy(divisor);
        Duration told = shorter.compareTo(KEPT) < 0 ? KEPT : shorter;
        return StoryFile.map(ImmutableMap.of("wait", StoryFile.word(told.toMillis() + "ms")));
    }
}
