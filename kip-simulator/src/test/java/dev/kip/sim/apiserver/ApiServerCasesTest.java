package dev.kip.sim.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The cases of {@code apiserver-cases/} on the simulated server; {@link CaseRunner} tells their form. With
 * {@code -Dkip.apiserver=http://127.0.0.1:8001} they run against the server at that address instead, which proves them.
 */
class ApiServerCasesTest {

    private static final List<String> FILES = List.of(
            "reads",
            "watches",
            "writes",
            "deletes",
            "pods",
            "workloads",
            "patches",
            "apply",
            "kinds",
            "custom",
            "surface");
    private static final String REAL = System.getProperty("kip.apiserver", "");
    private static final YAMLMapper YAML = YAMLMapper.builder().build();

    @TestFactory
    List<DynamicNode> the_simulated_server_answers_as_the_real_one() {
        List<DynamicNode> files = new ArrayList<>();
        for (String file : FILES) {
            List<DynamicTest> tests = new ArrayList<>();
            JsonNode document = read(file);
            for (JsonNode testCase : document.path("cases")) {
                int number = tests.size() + 1;
                if (!REAL.isEmpty() && testCase.path("simulated").asBoolean(false)) {
                    continue;
                }
                tests.add(DynamicTest.dynamicTest(
                        testCase.path("case").asString(""),
                        () -> new CaseRunner(wire(), document.path("bodies"))
                                .run(testCase, REAL.isEmpty() ? "case" : namespaceOf(file, number))));
            }
            files.add(DynamicContainer.dynamicContainer(file, tests));
        }
        return files;
    }

    private static Wire wire() {
        return REAL.isEmpty() ? new SimWire() : new HttpWire(REAL);
    }

    /** Of its own for each case and run, since a real server keeps what earlier ones left. */
    private static String namespaceOf(String file, int number) {
        return file + "-" + number + "-" + Long.toString(ProcessHandle.current().pid(), 36);
    }

    private static JsonNode read(String file) {
        try (InputStream stream = ApiServerCasesTest.class.getResourceAsStream("/apiserver-cases/" + file + ".yaml")) {
            return YAML.readTree(stream);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
