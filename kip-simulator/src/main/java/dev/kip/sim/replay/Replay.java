package dev.kip.sim.replay;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.planted.PlantedBug;
import dev.kip.sim.planted.Plants;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.Sweep;
import dev.kip.sim.world.Parts;
import dev.kip.sim.world.Worlds;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A run that can be told again, bit for bit: a story's file with its faults and knobs spelled out, the seed, and the bug
 * that was planted. Its file is a scenario file with one more section, so {@code kip sim run} takes it too.
 *
 * @param story without the section {@code replay}
 * @param plant name of the bug that the controllers have
 * @param fails how it failed when it was kept
 */
public record Replay(StoryFile story, long seed, Optional<String> plant, Optional<Problem> fails) {

    private static final String SECTION = "replay";
    private static final ImmutableList<String> KEYS = ImmutableList.of("seed", "plant", "fails", "says");

    /** A file that fails. */
    public static Replay of(StoryFile story, Outcomes outcomes, Optional<String> plant) {
        return new Replay(
                story.with(SECTION, Optional.empty()),
                outcomes.seed(),
                plant,
                outcomes.problems().stream().findFirst());
    }

    /** A run of a sweep that failed. */
    public static Replay ofSweep(StoryFile story, Sweep.Case failed) {
        String does = switch (failed.fate()) {
            case SENDER_DIES_BEFORE -> "crash-before";
            case SENDER_DIES_AFTER -> "crash-after";
            default -> "lose-reply";
        };
        Map<String, Yaml> fault = new LinkedHashMap<>();
        fault.put("call", StoryFile.word("mutating"));
        fault.put("nth", StoryFile.word(Integer.toString(failed.request())));
        fault.put("do", StoryFile.word(does));
        fault.put("restartAfter", StoryFile.word("2s"));
        return of(
                story.withItems("faults", ImmutableList.of(StoryFile.map(fault))), failed.outcomes(), Optional.empty());
    }

    /**
     * From a file: a scenario that ships, a scenario file, or a replay file.
     *
     * @throws YamlProblem naming the line
     * @throws IOException if there is no such file
     */
    public static Replay find(String nameOrFile) throws YamlProblem, IOException {
        return of(StoryFile.find(nameOrFile));
    }

    /** @throws YamlProblem naming the line */
    public static Replay read(String name, String text) throws YamlProblem {
        return of(StoryFile.read(name, text));
    }

    private static Replay of(StoryFile file) throws YamlProblem {
        Yaml.Mapping section = null;
        if (file.section(SECTION).isPresent()) {
            if (!(file.section(SECTION).get() instanceof Yaml.Mapping map)) {
                throw new YamlProblem(
                        file.name(), file.section(SECTION).get().line(), "replay: a map was expected, with a seed");
            }
            section = map;
            for (String key : map.entries().keySet()) {
                if (!KEYS.contains(key)) {
                    throw new YamlProblem(
                            file.name(),
                            line(map, key),
                            "replay: \"" + key + "\" is not known here." + Suggestion.didYouMean(key, KEYS) + " Known: "
                                    + String.join(", ", KEYS));
                }
            }
        }
        long seed = 1;
        Optional<String> written = text(section, "seed");
        if (written.isPresent()) {
            try {
                seed = Long.parseLong(written.get());
            } catch (NumberFormatException e) {
                throw new YamlProblem(
                        file.name(),
                        line(section, "seed"),
                        "replay.seed: must be a whole number, not \"" + written.get() + "\"");
            }
        }
        Optional<String> plant = text(section, "plant");
        if (plant.isPresent() && Plants.find(plant.get()).isEmpty()) {
            throw new YamlProblem(
                    file.name(),
                    line(section, "plant"),
                    "replay.plant: there is no bug \"" + plant.get() + "\" to plant. See: kip sim mutants --list");
        }
        Optional<Problem> fails = text(section, "fails")
                .map(id -> new Problem(id, text(file.section(SECTION), "says").orElse("")));
        file.scenario(); // wrong words are told now
        return new Replay(file.with(SECTION, Optional.empty()), seed, plant, fails);
    }

    private static int line(Yaml.@org.jspecify.annotations.Nullable Mapping map, String key) {
        return map == null ? 1 : map.keyLines().getOrDefault(key, map.line());
    }

    private static Optional<String> text(Optional<Yaml> section, String key) {
        return section.flatMap(s -> s instanceof Yaml.Mapping map ? text(map, key) : Optional.empty());
    }

    private static Optional<String> text(Yaml.@org.jspecify.annotations.Nullable Mapping section, String key) {
        return section != null && section.entries().get(key) instanceof Yaml.Scalar scalar
                ? Optional.of(scalar.text())
                : Optional.empty();
    }

    /** The file. */
    public String text() {
        Map<String, Yaml> section = new LinkedHashMap<>();
        section.put("seed", StoryFile.word(Long.toString(seed)));
        plant.ifPresent(bug -> section.put("plant", StoryFile.word(bug)));
        fails.ifPresent(problem -> {
            section.put("fails", StoryFile.word(problem.id()));
            section.put("says", new Yaml.Scalar(1, problem.text(), false));
        });
        return story.withEntries(SECTION, section).text();
    }

    public Replay with(StoryFile other) {
        return new Replay(other, seed, plant, fails);
    }

    public Replay withoutPlant() {
        return new Replay(story, seed, Optional.empty(), fails);
    }

    /** How it failed when it was kept, without what is of that run only. */
    public Optional<Signature> signature() {
        return fails.map(Signature::of);
    }

    /** Whether these outcomes are the failure that was kept. */
    public boolean reproducedBy(Outcomes outcomes) {
        return !outcomes.passed()
                && signature()
                        .map(signature -> signature.isOf(outcomes.problems().get(0)))
                        .orElse(false);
    }

    /** Tells it again. */
    public Outcomes tell(boolean keepTimeline) {
        return tell((scenario, s, keep, parts) -> Worlds.with(() -> parts).make(scenario, s, keep), keepTimeline);
    }

    /** Makes the world of a run. */
    public interface Maker {
        SimulatedWorld make(Scenario scenario, long seed, boolean keepTimeline, Parts parts);
    }

    /** Tells it again in a world that this makes. A bug that throws is a problem too. */
    public Outcomes tell(Maker worlds, boolean keepTimeline) {
        Scenario scenario;
        try {
            scenario = story.scenario();
        } catch (YamlProblem e) {
            throw new IllegalStateException("a replay's story was read before", e);
        }
        Parts parts = plant.flatMap(Plants::find)
                .map(PlantedBug::parts)
                .map(p -> p.get())
                .orElse(Parts.RIGHT);
        try {
            return new Runner((told, s, keep) -> worlds.make(told, s, keep, parts)).run(scenario, seed, keepTimeline);
        } catch (RuntimeException bug) {
            return new Outcomes(
                    scenario,
                    seed,
                    ImmutableList.of(new Problem("thrown", bug + " at " + place(bug))),
                    Duration.ZERO,
                    0,
                    "",
                    ImmutableList.of());
        }
    }

    private static String place(RuntimeException bug) {
        StackTraceElement[] trace = bug.getStackTrace();
        return trace.length == 0 ? "an unknown place" : trace[0].toString();
    }
}
