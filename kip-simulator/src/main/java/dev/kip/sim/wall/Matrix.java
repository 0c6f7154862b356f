package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.embedded.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What came of which scenario in which world, kept in a file so that a run that was ended goes on. Guarded by itself. */
public final class Matrix {

    private final Path file;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    /**
     * One run, or what a world does not carry.
     *
     * @param result passed, failed or partial
     * @param notCarried words, each with its place and the reason
     * @param problems what went wrong
     * @param day on which it was told
     * @param machine on which
     */
    public record Entry(
            String scenario,
            WorldKind world,
            String result,
            long millis,
            ImmutableList<String> notCarried,
            ImmutableList<String> problems,
            String day,
            String machine) {

        public boolean passed() {
            return result.equals("passed");
        }
    }

    private Matrix(Path file) {
        this.file = file;
    }

    /** What the file keeps; empty if there is none. */
    public static Matrix open(Path file) throws IOException {
        Matrix matrix = new Matrix(file);
        if (Files.exists(file)) {
            for (JsonNode node : JsonMapper.shared().readTree(Files.readString(file))) {
                matrix.put(read(node));
            }
        }
        return matrix;
    }

    private static Entry read(JsonNode node) {
        return new Entry(
                node.path("scenario").asString(""),
                WorldKind.valueOf(node.path("world").asString("").toUpperCase(Locale.ROOT)),
                node.path("result").asString(""),
                node.path("millis").asLong(0),
                texts(node.path("notCarried")),
                texts(node.path("problems")),
                node.path("day").asString(""),
                node.path("machine").asString(""));
    }

    private static ImmutableList<String> texts(JsonNode list) {
        ImmutableList.Builder<String> texts = ImmutableList.builder();
        list.forEach(text -> texts.add(text.asString("")));
        return texts.build();
    }

    public synchronized Optional<Entry> find(String scenario, WorldKind world) {
        return Optional.ofNullable(entries.get(key(scenario, world)));
    }

    public synchronized ImmutableMap<String, Entry> all() {
        return ImmutableMap.copyOf(entries);
    }

    private synchronized void put(Entry entry) {
        entries.put(key(entry.scenario(), entry.world()), entry);
    }

    /** In the file too. */
    public synchronized void add(Entry entry) throws IOException {
        put(entry);
        Files.createDirectories(file.toAbsolutePath().getParent());
        PrivateFiles.write(file.toAbsolutePath(), json().toPrettyString() + "\n");
    }

    private static String key(String scenario, WorldKind world) {
        return scenario + " " + world;
    }

    public synchronized ArrayNode json() {
        ArrayNode list = JsonMapper.shared().createArrayNode();
        for (Entry entry : entries.values()) {
            ObjectNode node = list.addObject();
            node.put("scenario", entry.scenario());
            node.put("world", entry.world().word());
            node.put("result", entry.result());
            node.put("millis", entry.millis());
            ArrayNode notCarried = node.putArray("notCarried");
            entry.notCarried().forEach(notCarried::add);
            ArrayNode problems = node.putArray("problems");
            entry.problems().forEach(problems::add);
            node.put("day", entry.day()).put("machine", entry.machine());
        }
        return list;
    }
}
