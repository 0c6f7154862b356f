package dev.kip.sim.replay;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A scenario's file as a tree that can be edited: whatever words it uses, steps and faults are cut without knowing them.
 * Immutable; each edit is another file.
 *
 * @param name of the file
 */
public record StoryFile(String name, Yaml.Mapping root) {

    /** @throws YamlProblem if it is no map, naming the line */
    public static StoryFile read(String name, String text) throws YamlProblem {
        Yaml root = YamlReader.read(name, text);
        if (root instanceof Yaml.Mapping map) {
            return new StoryFile(name, map);
        }
        throw new YamlProblem(name, root.line(), "a scenario file is a map, not " + root.found());
    }

    /**
     * A scenario that ships, by its name, or a file.
     *
     * @throws YamlProblem naming the line
     * @throws IOException if there is neither such a name nor such a file
     */
    public static StoryFile find(String nameOrFile) throws YamlProblem, IOException {
        if (Library.names().contains(nameOrFile)) {
            return read(nameOrFile + ".yaml", Library.text(nameOrFile));
        }
        Path file = Path.of(nameOrFile);
        if (!Files.isRegularFile(file)) {
            throw new IOException("\"" + nameOrFile + "\" is neither a scenario that ships nor a file."
                    + Suggestion.didYouMean(nameOrFile, Library.names()) + " See: kip sim list");
        }
        try {
            return read(nameOrFile, Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new IOException(nameOrFile + ": is no text in UTF-8.", e);
        }
    }

    /** @throws YamlProblem naming the line, what was expected and what was found */
    public Scenario scenario() throws YamlProblem {
        return ScenarioReader.read(name, text());
    }

    public String text() {
        return YamlText.document(root);
    }

    public Optional<Yaml> section(String key) {
        return Optional.ofNullable(root.entries().get(key));
    }

    /** The items of {@code steps}, {@code faults} or {@code expect}; empty if there are none. */
    public ImmutableList<Yaml> items(String key) {
        return section(key).orElse(none()) instanceof Yaml.Sequence list ? list.items() : ImmutableList.of();
    }

    public StoryFile withItems(String key, ImmutableList<Yaml> items) {
        return with(key, items.isEmpty() ? Optional.empty() : Optional.of(new Yaml.Sequence(1, items)));
    }

    /** What stands in a section that is a map, {@code given}; empty if there is none. */
    public ImmutableMap<String, Yaml> entries(String key) {
        return section(key).orElse(none()) instanceof Yaml.Mapping map ? map.entries() : ImmutableMap.of();
    }

    public StoryFile withEntries(String key, Map<String, Yaml> entries) {
        return with(key, entries.isEmpty() ? Optional.empty() : Optional.of(map(entries)));
    }

    /** As {@code entry} of {@code section} says; without it if empty. */
    public StoryFile withEntry(String section, String entry, Optional<Yaml> value) {
        Map<String, Yaml> entries = new LinkedHashMap<>(entries(section));
        value.ifPresentOrElse(present -> entries.put(entry, present), () -> entries.remove(entry));
        return withEntries(section, entries);
    }

    /** The section replaced, where it stood; taken out if empty. */
    public StoryFile with(String key, Optional<Yaml> value) {
        Map<String, Yaml> entries = new LinkedHashMap<>(root.entries());
        value.ifPresentOrElse(present -> entries.put(key, present), () -> entries.remove(key));
        return new StoryFile(name, map(entries));
    }

    public StoryFile named(String other) {
        return new StoryFile(other, root);
    }

    private static Yaml none() {
        return new Yaml.Scalar(1, "", true);
    }

    /** A map of these entries. */
    public static Yaml.Mapping map(Map<String, Yaml> entries) {
        ImmutableMap.Builder<String, Integer> lines = ImmutableMap.builder();
        entries.keySet().forEach(key -> lines.put(key, 1));
        return new Yaml.Mapping(1, ImmutableMap.copyOf(entries), lines.buildOrThrow());
    }

    /** A word as it is written without quotes. */
    public static Yaml.Scalar word(String text) {
        return new Yaml.Scalar(1, text, true);
    }
}
