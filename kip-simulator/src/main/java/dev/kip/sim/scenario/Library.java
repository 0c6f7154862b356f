package dev.kip.sim.scenario;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The scenarios that ship with the simulator. */
public final class Library {

    private static final String FOLDER = "scenarios/";

    private Library() {}

    /** Names in the order in which they are listed. */
    public static ImmutableList<String> names() {
        return read(FOLDER + "index.txt")
                .lines()
                .filter(line -> !line.isBlank())
                .collect(ImmutableList.toImmutableList());
    }

    /** Groups, in the order in which they are listed. */
    public static ImmutableList<String> groups() {
        return ImmutableList.of(
                "identity",
                "ownership",
                "cloud",
                "node power",
                "disk",
                "network",
                "clock",
                "API server",
                "checkpointer",
                "upgrade");
    }

    /** The group that a scenario belongs to. */
    public static String group(String name) {
        return read("scenario-groups.txt")
                .lines()
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .filter(line -> Splitter.on(' ')
                        .omitEmptyStrings()
                        .splitToStream(line.substring(line.indexOf(':') + 1))
                        .anyMatch(glob -> Globs.matches(glob, name)))
                .map(line -> line.substring(0, line.indexOf(':')))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("scenario-groups.txt has no line for " + name));
    }

    /**
     * A scenario by its name, or from a file.
     *
     * @throws YamlProblem naming the line
     * @throws IOException if there is neither such a name nor such a file
     */
    public static Scenario find(String nameOrFile) throws YamlProblem, IOException {
        if (names().contains(nameOrFile)) {
            return ScenarioReader.read(nameOrFile + ".yaml", text(nameOrFile));
        }
        Path file = Path.of(nameOrFile);
        if (!Files.isRegularFile(file)) {
            throw new IOException("\"" + nameOrFile + "\" is neither a scenario that ships nor a file."
                    + dev.kip.yaml.Suggestion.didYouMean(nameOrFile, names()) + " See: kip sim list");
        }
        try {
            return ScenarioReader.read(nameOrFile, Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new IOException(nameOrFile + ": is no text in UTF-8.", e);
        }
    }

    /** The file of a scenario that ships. */
    public static String text(String name) {
        return read(FOLDER + name + ".yaml");
    }

    private static String read(String resource) {
        URL url = Resources.getResource(resource);
        try {
            return Resources.toString(url, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("the jar is damaged: " + resource, e);
        }
    }
}
