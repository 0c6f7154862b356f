package dev.kip.sim.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs one case of {@code apiserver-cases/*.yaml}: steps in order, in a namespace of its own.
 *
 * <p>A case that is {@code simulated} is of our server only: what it leaves out on purpose. A step has {@code request} ("METHOD path"), and optionally {@code body}, {@code use} (a body of the file), {@code raw} (a body as text),
 * {@code type} (of the body), {@code accept}, {@code headers}; it wants {@code status}, {@code expect} (every field there
 * must be in the answer; lists must have equal length), {@code contains} (text), {@code header} (name to pattern) and, for
 * a watch, {@code events}. {@code save} keeps values of the answer (name to JSON pointer) for {@code ${name}} later on.
 * Instead of a value, {@code expect} may say {@code $absent}, {@code $present}, {@code $empty}, {@code $size N} or
 * {@code $matches REGEX}.
 */
final class CaseRunner {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([a-zA-Z0-9]+)}");

    private final Wire wire;
    private final JsonNode bodies;
    private final Map<String, String> variables = new LinkedHashMap<>();

    /** @param bodies what steps may {@code use} as their body, by name */
    CaseRunner(Wire wire, JsonNode bodies) {
        this.wire = wire;
        this.bodies = bodies;
    }

    void run(JsonNode testCase, String namespace) {
        variables.put("ns", namespace);
        Wire.Answer made = wire.send(
                "POST",
                "/api/v1/namespaces",
                ImmutableMap.of("content-type", "application/json"),
                bytes("{\"metadata\":{\"name\":\"" + namespace + "\"}}"));
        assertThat(made.status()).as("creation of namespace %s", namespace).isEqualTo(201);
        // A real cluster's controller would make this a moment later, and mount its token into every pod.
        Wire.Answer account = wire.send(
                "POST",
                "/api/v1/namespaces/" + namespace + "/serviceaccounts",
                ImmutableMap.of("content-type", "application/json"),
                bytes("{\"metadata\":{\"name\":\"default\"},\"automountServiceAccountToken\":false}"));
        assertThat(account.status())
                .as("creation of the default service account")
                .isIn(201, 409);
        int number = 0;
        for (JsonNode step : testCase.path("steps")) {
            step(step, "step " + ++number + ", " + step.path("request").asString(""));
        }
    }

    private void step(JsonNode step, String what) {
        String[] request = filled(step.path("request").asString("")).split(" ", 2);
        Map<String, String> headers = new LinkedHashMap<>();
        byte[] body = new byte[0];
        JsonNode given = step.has("use") ? bodies.path(step.path("use").asString("")) : step.path("body");
        if (step.has("raw") || !given.isMissingNode()) {
            body = bytes(filled(step.has("raw") ? step.path("raw").asString("") : given.toString()));
            headers.put("content-type", step.path("type").asString("application/json"));
        }
        headers.put("accept", step.path("accept").asString("application/json"));
        step.path("headers").forEachEntry((name, value) -> headers.put(name, filled(value.asString(""))));
        Wire.Answer answer = wire.send(request[0], request[1], ImmutableMap.copyOf(headers), body);
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        String told = what + "\n  answered " + answer.status() + " " + text;
        if (step.has("status")) {
            assertThat(answer.status()).as(told).isEqualTo(step.path("status").asInt());
        }
        step.path("header")
                .forEachEntry((name, pattern) -> assertThat(
                                answer.headers().getOrDefault(name.toLowerCase(Locale.ROOT), ""))
                        .as(told)
                        .matches(filled(pattern.asString(""))));
        step.path("contains").forEach(part -> assertThat(text).as(told).contains(filled(part.asString(""))));
        if (step.has("expect")) {
            check(step.path("expect"), JSON.readTree(text), "", told);
        }
        if (step.has("events")) {
            checkEvents(step.path("events"), text, told);
        }
        step.path("save").forEachEntry((name, pointer) -> {
            JsonNode value = JSON.readTree(text).at(pointer.asString(""));
            assertThat(value.isMissingNode())
                    .as("%s%n  has no %s", told, pointer)
                    .isFalse();
            variables.put(name, value.asString(""));
        });
    }

    private void checkEvents(JsonNode expected, String text, String told) {
        List<JsonNode> events = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            if (!line.isBlank()) {
                events.add(JSON.readTree(line));
            }
        }
        assertThat(events).as(told).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            check(expected.path(i), events.get(i), "event " + i, told);
        }
    }

    private void check(JsonNode expected, JsonNode actual, String path, String told) {
        String at = told + "\n  at " + path;
        if (expected.isObject()) {
            assertThat(actual.isObject()).as(at).isTrue();
            expected.forEachEntry((name, value) -> check(value, actual.path(name), path + "/" + name, told));
        } else if (expected.isArray()) {
            assertThat(actual.isArray()).as(at).isTrue();
            assertThat(actual.size()).as("%s: length", at).isEqualTo(expected.size());
            for (int i = 0; i < expected.size(); i++) {
                check(expected.path(i), actual.path(i), path + "/" + i, told);
            }
        } else {
            checkValue(filledNode(expected), actual, at);
        }
    }

    private static void checkValue(JsonNode expected, JsonNode actual, String at) {
        String text = expected.isString() ? expected.stringValue() : "";
        if (text.equals("$absent")) {
            assertThat(actual.isMissingNode()).as(at).isTrue();
        } else if (text.equals("$present")) {
            assertThat(actual.isMissingNode()).as(at).isFalse();
        } else if (text.equals("$empty")) {
            assertThat(actual.isContainer() && actual.isEmpty()).as(at).isTrue();
        } else if (text.startsWith("$size ")) {
            assertThat(actual.size()).as(at).isEqualTo(Integer.parseInt(text.substring(6)));
        } else if (text.startsWith("$matches ")) {
            assertThat(actual.asString("")).as(at).matches(Pattern.compile(text.substring(9), Pattern.DOTALL));
        } else {
            assertThat(actual).as(at).isEqualTo(expected);
        }
    }

    private JsonNode filledNode(JsonNode value) {
        return value.isString()
                ? value.asStringOpt()
                        .map(text -> (JsonNode) tools.jackson.databind.node.StringNode.valueOf(filled(text)))
                        .orElse(value)
                : value;
    }

    private String filled(String text) {
        Matcher matcher = VARIABLE.matcher(text);
        StringBuilder result = new StringBuilder();
        while (matcher.find()) {
            String value = variables.get(matcher.group(1));
            assertThat(value).as("variable %s", matcher.group(1)).isNotNull();
            matcher.appendReplacement(result, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(result).toString();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
