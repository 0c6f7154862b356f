package dev.kip.sim.replay;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A story written in Java, with the words of scenario files: what a word is about is written as in a file, {@code
 * step("apply", "{deployment: web, replicas: 2}")}, and read by the same reader, with the same errors. Immutable; each call
 * is another story.
 */
public final class Story {

    private final StoryFile file;

    private Story(StoryFile file) {
        this.file = file;
    }

    /** @param title what is told */
    public static Story of(String title) {
        Map<String, Yaml> root = new LinkedHashMap<>();
        root.put("scenario", new Yaml.Scalar(1, title, false));
        return new Story(new StoryFile("story.yaml", StoryFile.map(root)));
    }

    /** Where it was reported, or why it is told. */
    public Story because(String why) {
        return new Story(file.with("because", Optional.of(new Yaml.Scalar(1, why, false))));
    }

    /** {@code given("controllers", 2)}, {@code given("config", "{gc.maxCount: \"5\"}")}. */
    public Story given(String word, Object value) {
        return new Story(file.withEntry("given", word, Optional.of(yaml(value))));
    }

    /** {@code step("wait", "5s")}, {@code step("kill", "{controller: kip-0}")}. */
    public Story step(String word, Object about) {
        return item("steps", StoryFile.map(ImmutableMap.of(word, yaml(about))));
    }

    /** {@code expect("cells", "none")}. */
    public Story expect(String word, Object value) {
        return item("expect", StoryFile.map(ImmutableMap.of(word, yaml(value))));
    }

    /** {@code fault("{to: ec2, call: RunInstances, do: lose-reply}")}. */
    public Story fault(String fault) {
        return item("faults", yaml(fault));
    }

    private Story item(String section, Yaml item) {
        return new Story(file.withItems(
                section,
                ImmutableList.<Yaml>builder()
                        .addAll(file.items(section))
                        .add(item)
                        .build()));
    }

    private static Yaml yaml(Object value) {
        try {
            return YamlReader.read("story", String.valueOf(value));
        } catch (YamlProblem e) {
            throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
        }
    }

    /** As a file. */
    public StoryFile file() {
        return file;
    }

    /**
     * Tells it with this seed.
     *
     * @throws YamlProblem for a wrong word, naming the line of {@link StoryFile#text}
     */
    public Outcomes tell(long seed) throws YamlProblem {
        file.scenario();
        return new Replay(file, seed, Optional.empty(), Optional.empty()).tell(true);
    }
}
