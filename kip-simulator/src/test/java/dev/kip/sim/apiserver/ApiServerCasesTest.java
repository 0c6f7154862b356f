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

/** The cases of {@code apiserver-cases/} on the simulated server; {@link CaseRunner} tells their form. */
class ApiServerCasesTest {

    private static final List<String> FILES =
            List.of("reads", "watches", "writes", "deletes", "pods", "workloads", "patches", "custom", "surface");
    private static final YAMLMapper YAML = YAMLMapper.builder().build();

    @TestFactory
    List<DynamicNode> the_simulated_server_answers_as_the_real_one() {
        List<DynamicNode> files = new ArrayList<>();
        for (String file : FILES) {
            List<DynamicTest> tests = new ArrayList<>();
            JsonNode document = read(file);
            for (JsonNode testCase : document.path("cases")) {
                tests.add(DynamicTest.dynamicTest(
                        testCase.path("case").asString(""),
                        () -> new CaseRunner(new SimWire(), document.path("bodies")).run(testCase, "case")));
            }
            files.add(DynamicContainer.dynamicContainer(file, tests));
        }
        return files;
    }

    private static JsonNode read(String file) {
        try (InputStream stream = ApiServerCasesTest.class.getResourceAsStream("/apiserver-cases/" + file + ".yaml")) {
            return YAML.readTree(stream);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
