package dev.kip.sim.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ContiguousSet;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.scenario.Library;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/reference/field-records.md names tests and scenarios: they exist. */
class FieldRecordsTest {

    private static final Path ROOT = Path.of("..");

    /** The numbers of each area; those that are missing were merged into another record when the reports were gathered. */
    private static final ImmutableMap<String, ImmutableList<Integer>> AREAS =
            ImmutableMap.<String, ImmutableList<Integer>>builder()
                    .put("ID", ImmutableList.of(2, 3, 4, 5, 7, 8, 9))
                    .put("ORPH", ImmutableList.of(1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14))
                    .put("GC", ImmutableList.of(1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13))
                    .put("LE", ImmutableList.of(2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
                    .put("OUT", ImmutableList.of(2, 3, 4, 5, 6, 7, 8))
                    .put("SPOT", ContiguousSet.closed(3, 8).asList())
                    .put("FC", ContiguousSet.closed(1, 29).asList())
                    .put("CP", ContiguousSet.closed(2, 18).asList())
                    .put("CPD", ContiguousSet.closed(1, 25).asList())
                    .put("CPR", ContiguousSet.closed(1, 39).asList())
                    .put("SEL", ImmutableList.of(1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17))
                    .put("CELL", ImmutableList.of(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14))
                    .put("PS", ImmutableList.of(1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12))
                    .put("SC", ImmutableList.of(2, 3, 4, 5, 6, 7, 8, 9))
                    .put("DEL", ImmutableList.of(1, 2, 3, 4, 5, 6))
                    .put("NODE", ImmutableList.of(2, 3, 4, 5, 6, 7, 8, 9, 10))
                    .put("SPEC", ImmutableList.of(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
                    .put("UNIT", ImmutableList.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
                    .put("NET", ImmutableList.of(2, 3, 4, 5, 6))
                    .put("KAPI", ContiguousSet.closed(2, 11).asList())
                    .put("MET", ContiguousSet.closed(2, 7).asList())
                    .buildOrThrow();

    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*)\\.(\\w+)`");
    private static final Pattern SCENARIO = Pattern.compile("scenario `([a-z0-9-]+)`");

    private record Row(String id, String report, String wrong, String here) {}

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/reference/field-records.md"))) {
            if (line.matches("\\| [A-Z]+-[0-9]{2} \\|.*")) {
                List<String> cells = Splitter.on('|').trimResults().splitToList(line);
                rows.add(new Row(cells.get(1), cells.get(2), cells.get(3), cells.get(4)));
            }
        }
        return rows;
    }

    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path tests : modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(tests)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .forEach(file ->
                                    sources.put(file.getFileName().toString().replace(".java", ""), read(file)));
                }
            }
        }
        return sources;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void every_record_of_a_finished_area_is_there_once() throws IOException {
        List<String> wanted = new ArrayList<>();
        AREAS.forEach((area, numbers) -> numbers.forEach(number -> wanted.add("%s-%02d".formatted(area, number))));

        assertThat(rows()).extracting(Row::id).containsAll(wanted).doesNotHaveDuplicates();
        assertThat(rows())
                .allMatch(row -> !row.report().isEmpty() && !row.wrong().isEmpty());
    }

    @Test
    void every_record_has_a_test_that_exists_or_a_reason() throws IOException {
        Map<String, String> sources = testSources();
        ImmutableSet<String> scenarios = ImmutableSet.copyOf(Library.names());
        List<String> missing = new ArrayList<>();
        for (Row row : rows()) {
            List<MatchResult> tests = TEST.matcher(row.here()).results().toList();
            List<MatchResult> stories = SCENARIO.matcher(row.here()).results().toList();
            for (MatchResult test : tests) {
                if (!sources.getOrDefault(test.group(1), "").contains("void " + test.group(2) + "(")) {
                    missing.add(row.id() + ": " + test.group());
                }
            }
            for (MatchResult story : stories) {
                if (!scenarios.contains(story.group(1))) {
                    missing.add(row.id() + ": " + story.group());
                }
            }
            if (tests.isEmpty() && stories.isEmpty() && !row.here().startsWith("not tested: ")) {
                missing.add(row.id() + ": names no test, and no reason after \"not tested: \"");
            }
        }

        assertThat(missing).isEmpty();
    }
}
