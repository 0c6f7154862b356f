package dev.kip.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kip.sim.fuzz.Fuzz;
import dev.kip.sim.replay.StoryFile;
import dev.kip.sim.report.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ScenarioSchemaTest {

    private static final Path COMMITTED = Path.of("..", "docs", "reference", "scenario.schema.json");

    @TempDir
    Path folder;

    @Test
    void the_schema_in_the_docs_is_what_the_reader_says() throws Exception {
        String schema = ScenarioSchema.text();
        if (Boolean.getBoolean("kip.renew")) {
            Files.writeString(COMMITTED, schema);
        }
        assertThat(Files.readString(COMMITTED))
                .as(
                        "the reader knows other words than %s says. Renew it: ./kip sim schema > docs/reference/scenario.schema.json",
                        COMMITTED)
                .isEqualTo(schema);
    }

    @Test
    void it_has_the_words_that_the_files_use() {
        JsonNode schema = JsonMapper.shared().readTree(ScenarioSchema.text());
        List<String> words = new ArrayList<>();
        schema.at("/properties/steps/anyOf/1/items/anyOf")
                .forEach(step -> words.add(step.at("/required/0").asString()));

        assertThat(words).contains("apply", "until", "wait", "kill", "inject", "power", "clock", "heal", "mark");
        assertThat(schema.at("/properties/faults/anyOf/1/items/anyOf/0/properties/do/enum")
                        .toString())
                .contains("lose-reply", "crash-after", "suspend");
        assertThat(schema.at("/properties/given/properties").propertyNames())
                .contains("node", "knobs", "nodes", "anchor");
    }

    /** By a validator that is not ours: Python's jsonschema, which comes with the real parts. */
    @Test
    void every_file_that_ships_and_every_drawn_one_is_valid_and_misspelled_ones_are_not() throws Exception {
        Path python = Path.of(System.getProperty("user.home"), ".cache", "kip", "parts", "python", "bin", "python");
        assumeTrue(Files.isExecutable(python), "real-parts/build python has jsonschema");
        StringBuilder good = new StringBuilder();
        for (String name : Library.names()) {
            good.append(Json.of(StoryFile.find(name).root())).append('\n');
        }
        for (long seed = 1; seed <= 20; seed++) {
            good.append(Json.of(StoryFile.read(
                                    "a.yaml",
                                    Fuzz.replay("swarm", "" + seed, java.util.Optional.of("no-write-ahead"))
                                            .text())
                            .root()))
                    .append('\n');
        }
        Files.writeString(folder.resolve("good"), good);
        Files.writeString(folder.resolve("schema"), ScenarioSchema.text());
        Files.writeString(folder.resolve("bad"), """
                {"scenario": "x", "steps": [{"terminat": {"instanceOf": "one"}}]}
                {"scenario": "x", "steps": [{"kill": {"controler": "kip-0"}}]}
                {"scenario": "x", "steps": [{"until": {"pod": "a", "is": "Ready", "within": "soon"}}]}
                {"scenario": "x", "steps": [{"wait": "1s"}], "expect": [{"cell": 1}]}
                {"scenario": "x", "steps": [{"wait": "1s"}], "faults": [{"call": "x", "do": "explode"}]}
                {"scenario": "x", "steps": [{"wait": "1s"}], "given": {"knobs": {"netwrk": "1ms"}}}
                {"steps": [{"wait": "1s"}]}
                """);
        String program = """
                import json, sys
                from jsonschema import Draft202012Validator
                validator = Draft202012Validator(json.load(open('schema')))
                for line in open('good'):
                    for error in validator.iter_errors(json.loads(line)):
                        print('GOOD', line[:60], list(error.path), error.message[:200])
                for line in open('bad'):
                    if not list(validator.iter_errors(json.loads(line))):
                        print('BAD', line)
                """;
        Process process = new ProcessBuilder(python.toString(), "-c", program)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(out).isEmpty();
    }
}
