package dev.kip.sim.fuzz;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.SeededEntropy;
import dev.kip.sim.replay.Replay;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.scenario.Knob;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Draws a world of its own for each seed: knobs away from what is usual, and whole kinds of trouble left out, which shows
 * what their noise would hide (swarm testing, Groce et al., 2012).
 */
final class Swarm {

    /** Words that a story can do without. */
    private static final ImmutableList<String> TROUBLES = ImmutableList.of(
            "pause",
            "suspend",
            "skew",
            "hold",
            "cut",
            "terminate",
            "tag",
            "stripTags",
            "copyTags",
            "stop",
            "edit",
            "kill");

    /** A slow world takes its time before somebody leads. */
    private static final String PATIENT = "10m";

    private Swarm() {}

    /** The run that this recipe makes. */
    static Replay draw(Recipe recipe, Optional<String> plant) {
        StoryFile story;
        try {
            story = StoryFile.read("swarm-" + recipe.seed() + ".yaml", OwnershipHistory.yaml(recipe.choices()));
        } catch (YamlProblem e) {
            throw new IllegalStateException("recipe " + recipe + " draws a broken file", e);
        }
        SeededEntropy entropy = new SeededEntropy(recipe.knobs()).fork("swarm");
        if (entropy.below(4) > 0) {
            story = knobs(story, entropy.fork("knobs"));
        }
        if (entropy.below(2) == 0) {
            story = withoutTroubles(story, entropy.fork("troubles"));
        }
        return new Replay(story, recipe.seed(), plant, Optional.empty());
    }

    private static StoryFile knobs(StoryFile story, SeededEntropy entropy) {
        Map<String, Yaml> knobs = new LinkedHashMap<>();
        if (story.entries("given").get("knobs") instanceof Yaml.Mapping set) {
            knobs.putAll(set.entries());
        }
        for (Knob knob : Knob.values()) {
            if (knob == Knob.TYPES) {
                continue; // drawn with the history
            }
            boolean set = entropy.below(3) == 0;
            String value = knob.others().get((int) entropy.below(knob.others().size()));
            if (set) {
                knobs.put(knob.word(), StoryFile.word(value));
            }
        }
        if (knobs.isEmpty()) {
            return story;
        }
        ImmutableList.Builder<Yaml> steps = ImmutableList.builder();
        boolean first = true;
        for (Yaml step : story.items("steps")) {
            steps.add(first ? patient(step) : step);
            first = false;
        }
        return story.withItems("steps", steps.build()).withEntry("given", "knobs", Optional.of(StoryFile.map(knobs)));
    }

    /** The first step waits for a leader. */
    private static Yaml patient(Yaml step) {
        Map<String, Yaml> outer = new LinkedHashMap<>(((Yaml.Mapping) step).entries());
        if (outer.get("until") instanceof Yaml.Mapping map) {
            Map<String, Yaml> until = new LinkedHashMap<>(map.entries());
            until.put("within", StoryFile.word(PATIENT));
            outer.put("until", StoryFile.map(until));
        }
        return StoryFile.map(outer);
    }

    private static StoryFile withoutTroubles(StoryFile story, SeededEntropy entropy) {
        Set<String> out = new LinkedHashSet<>();
        for (String word : TROUBLES) {
            if (entropy.below(3) == 0) {
                out.add(word);
            }
        }
        boolean faultless = entropy.below(3) == 0;
        ImmutableList<Yaml> kept = story.items("steps").stream()
                .filter(step -> step instanceof Yaml.Mapping map
                        && map.entries().keySet().stream().noneMatch(out::contains))
                .collect(ImmutableList.toImmutableList());
        StoryFile less = story.withItems("steps", kept);
        return faultless ? less.withItems("faults", ImmutableList.of()) : less;
    }
}
