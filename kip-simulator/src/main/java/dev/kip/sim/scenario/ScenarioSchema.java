package dev.kip.sim.scenario;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.yaml.YamlProblem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON schema of scenario files, asked of the reader itself: it is given wrong keys and wrong values, and says which it
 * knows and what it wanted. So the schema cannot say anything that the reader does not.
 */
public final class ScenarioSchema {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String NO_KEY = "zzz";
    private static final Pattern KNOWN = Pattern.compile("is not known here\\..*? Known: (.*)$");
    private static final Pattern CHOICES = Pattern.compile("Known: ([\\w./*-]+(?:, [\\w./*-]+)*)$");
    private static final Pattern MISSING = Pattern.compile("\\.(\\w+): is missing");
    private static final int MOST_REQUIRED = 4;
    private static final String TIME = "^-?\\d+(ms|s|m|h)$";

    /** Two kinds of stories, each with words of its own. */
    private static final ImmutableList<String> WORLDS = ImmutableList.of("", "given: {nodes: {count: 1}}\n");

    private ScenarioSchema() {}

    /** As text, for editors: draft 2020-12. */
    public static String text() {
        return JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build()
                        .writeValueAsString(schema())
                        .replace("\r\n", "\n")
                + "\n";
    }

    private static ObjectNode schema() {
        ObjectNode schema = JSON.objectNode();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "A scenario of Kip's simulator");
        schema.put("type", "object");
        schema.put("additionalProperties", false);
        schema.putArray("required").add("scenario").add("steps");
        ObjectNode properties = schema.putObject("properties");
        for (String section : keys("%s", NO_KEY, "").orElse(ImmutableSet.of())) {
            ObjectNode property = properties.putObject(section);
            switch (section) {
                case "steps" -> list(property, words("steps", "steps:\n  - %s\n"));
                case "expect" -> list(property, expectations());
                case "faults" -> list(property, faults());
                case "given" -> property.setAll(given());
                case "replay" -> property.put("type", "object");
                default -> property.putArray("type").add("string").add("number");
            }
        }
        return schema;
    }

    private static void list(ObjectNode property, ArrayNode items) {
        ArrayNode either = property.putArray("anyOf");
        either.addObject().put("const", "none");
        either.addObject().put("type", "array").putObject("items").set("anyOf", items);
    }

    /** {@code word: {...}}, for each word that a step may begin with. */
    private static ArrayNode words(String name, String file) {
        Map<String, ObjectNode> values = new TreeMap<>();
        for (String world : WORLDS) {
            for (String word : known(world + filled(file, NO_KEY + ": 1"), name)) {
                value(world + file, word).ifPresent(value -> values.merge(word, value, ScenarioSchema::either));
            }
        }
        ArrayNode words = JSON.arrayNode();
        values.forEach((word, value) -> {
            ObjectNode step = words.addObject();
            step.put("type", "object").put("additionalProperties", false);
            step.putArray("required").add(word);
            step.putObject("properties").set(word, value);
        });
        return words;
    }

    private static ObjectNode either(ObjectNode one, ObjectNode other) {
        if (one.equals(other)) {
            return one;
        }
        ObjectNode both = JSON.objectNode();
        ArrayNode any = both.putArray("anyOf");
        for (ObjectNode part : ImmutableList.of(one, other)) {
            if (part.has("anyOf")) {
                part.path("anyOf").forEach(any::add);
            } else {
                any.add(part);
            }
        }
        return both;
    }

    /** What stands behind a word: text, or a map whose keys are found by asking for each that is known anywhere. */
    private static Optional<ObjectNode> value(String file, String word) {
        String map = file.replace("%s", word + ": {%s}");
        Set<String> candidates = new TreeSet<>(starts());
        keys(map, NO_KEY, word).ifPresent(candidates::addAll);
        Map<Set<String>, Boolean> variants = new LinkedHashMap<>();
        for (String key : candidates) {
            keys(map, key + ": x, " + NO_KEY, word)
                    .filter(keys -> keys.contains(key))
                    .ifPresent(keys -> variants.put(keys, true));
        }
        if (variants.isEmpty()) {
            boolean takesNoText = problem(file.replace("%s", word + ": x")).contains("a map was expected");
            return takesNoText ? Optional.empty() : Optional.of(plain());
        }
        ArrayNode any = JSON.arrayNode();
        for (Set<String> keys : variants.keySet()) {
            any.add(object(map, keys));
        }
        return Optional.of(
                any.size() == 1 ? (ObjectNode) any.get(0) : JSON.objectNode().set("anyOf", any));
    }

    private static ObjectNode object(String map, Set<String> keys) {
        ObjectNode object = JSON.objectNode();
        object.put("type", "object").put("additionalProperties", false);
        ObjectNode properties = object.putObject("properties");
        for (String key : keys) {
            properties.set(key, type(map, key));
        }
        return object;
    }

    /** What the reader says to a map and to nonsense in the place of a value. */
    private static ObjectNode type(String map, String key) {
        String toMap = toValue(map, key, "{a: b}");
        String toText = toValue(map, key, "zzz");
        String here = "." + key + ": ";
        if (toMap.contains(here) && toMap.contains("must be a list")) {
            return JSON.objectNode().put("type", "array").set("items", plain());
        }
        if (!toMap.contains(here) && toText.contains(here) && toText.contains("a map was expected")) {
            return JSON.objectNode().put("type", "object");
        }
        if (toText.contains(here) && toText.contains("must be a whole number")) {
            return JSON.objectNode()
                    .set(
                            "anyOf",
                            JSON.arrayNode()
                                    .add(JSON.objectNode().put("type", "integer"))
                                    .add(JSON.objectNode().put("const", "none")));
        }
        if (toText.contains(here) && toText.contains("is no time")) {
            return JSON.objectNode().put("type", "string").put("pattern", TIME);
        }
        if (toText.contains(here) && toText.contains("must be on or off")) {
            ObjectNode type = JSON.objectNode();
            type.putArray("enum").add(true).add(false).add("on").add("off");
            return type;
        }
        if (toText.contains("no node is")) {
            return plain(); // a glob
        }
        Matcher choices = CHOICES.matcher(toText);
        if (toText.contains(here) && choices.find()) {
            ObjectNode type = JSON.objectNode();
            ArrayNode all = type.putArray("enum");
            Splitter.on(", ").split(choices.group(1)).forEach(all::add);
            return type;
        }
        return plain();
    }

    /** What the reader says to this value, when nothing else is missing. */
    private static String toValue(String map, String key, String value) {
        String content = key + ": " + value;
        for (int i = 0; i < MOST_REQUIRED; i++) {
            String problem = problem(filled(map, content));
            Matcher missing = MISSING.matcher(problem);
            if (!missing.find() || missing.group(1).equals(key)) {
                return problem;
            }
            content += ", " + missing.group(1) + ": x";
        }
        return problem(filled(map, content));
    }

    private static String filled(String file, String content) {
        return file.replace("%s", content);
    }

    private static ObjectNode plain() {
        ObjectNode text = JSON.objectNode();
        text.putArray("type").add("string").add("number").add("boolean");
        return text;
    }

    /** Keys with which variants of a word begin, that no message lists. */
    private static ImmutableList<String> starts() {
        ImmutableList.Builder<String> starts = ImmutableList.builder();
        for (Countable countable : Countable.values()) {
            starts.add(countable.word());
        }
        return starts.addAll(NodeWords.SIGHTS)
                .add("pod", "controller", "events", "calls", "deployment", "controllers", "definitions", "instanceOf")
                .add("cellOf", "installation", "checkpoints", "manifest")
                .build();
    }

    private static ArrayNode expectations() {
        String file = "steps: [{wait: 1s}]\nexpect:\n  - %s\n";
        Map<String, ObjectNode> all = new TreeMap<>();
        for (String world : WORLDS) {
            Set<String> words = new TreeSet<>(known(world + filled(file, NO_KEY + ": 1"), "expect"));
            words.addAll(NodeWords.SIGHTS);
            for (String word : words) {
                Optional<Set<String>> keys =
                        keys(world + file.replace("- %s", "- {%s}"), word + ": x, " + NO_KEY, "expect");
                if (keys.isEmpty() || !keys.get().contains(word)) {
                    continue;
                }
                ObjectNode object = object(world + file.replace("- %s", "- {%s}"), keys.get());
                object.putArray("required").add(word);
                Optional<ObjectNode> inner = value(world + file, word);
                inner.filter(value -> value.has("properties"))
                        .ifPresent(value -> ((ObjectNode) object.path("properties")).set(word, value));
                if (word.equals("leads")) {
                    ((ObjectNode) object.path("properties")).set(word, JSON.objectNode());
                }
                all.put(word, object);
            }
        }
        ArrayNode items = JSON.arrayNode();
        all.values().forEach(items::add);
        return items;
    }

    private static ArrayNode faults() {
        String file = "scenario: x\nsteps: [{wait: 1s}]\nfaults:\n  - {%s}\n";
        Set<String> keys =
                keys(file, "do: lose-reply, call: x, " + NO_KEY, "faults").orElse(ImmutableSet.of());
        ObjectNode fault = JSON.objectNode();
        fault.put("type", "object").put("additionalProperties", false);
        fault.putArray("required").add("call").add("do");
        ObjectNode properties = fault.putObject("properties");
        for (String key : keys) {
            String others =
                    key.equals("do") ? "call: x, " : key.equals("call") ? "do: lose-reply, " : "do: suspend, call: x, ";
            properties.set(key, type(file.replace("{%s}", "{" + others + "%s}"), key));
        }
        return JSON.arrayNode().add(fault);
    }

    private static ObjectNode given() {
        String file = "scenario: x\ngiven: {%s}\nsteps: [{wait: 1s}]\n";
        ObjectNode given = object(file, keys(file, NO_KEY, "given").orElse(ImmutableSet.of()));
        ObjectNode properties = (ObjectNode) given.path("properties");
        String knobs = file.replace("{%s}", "{knobs: {%s}}");
        ObjectNode set = JSON.objectNode();
        set.put("type", "object").put("additionalProperties", false);
        ObjectNode each = set.putObject("properties");
        for (Knob knob : Knob.values()) {
            each.putObject(knob.word())
                    .put("description", knob.what() + "; usually " + knob.usual())
                    .putArray("type")
                    .add("string")
                    .add("number")
                    .add("boolean");
        }
        if (keys(knobs, NO_KEY, "given.knobs").isPresent()) {
            properties.set("knobs", set);
        }
        String nodes = file.replace("{%s}", "{nodes: {%s}}");
        keys(nodes, NO_KEY, "given.nodes").ifPresent(keys -> properties.set("nodes", object(nodes, keys)));
        return given;
    }

    /** The keys that the reader says it knows where one stands that it does not; empty if it says nothing of keys. */
    private static Optional<Set<String>> keys(String file, String content, String name) {
        String problem = problem(filled(file, content + ": 1"));
        Matcher matcher = KNOWN.matcher(problem);
        return matcher.find() && problem.contains((name.isEmpty() ? "scenario" : name) + ": \"" + NO_KEY)
                ? Optional.of(new TreeSet<>(Splitter.on(", ").splitToList(matcher.group(1))))
                : Optional.empty();
    }

    /** Words that a list of words may begin with. */
    private static ImmutableList<String> known(String file, String name) {
        String problem = problem(file);
        int at = problem.indexOf("Known: ");
        return at < 0 || !problem.contains(name + ": ")
                ? ImmutableList.of()
                : ImmutableList.copyOf(Splitter.on(", ").split(problem.substring(at + "Known: ".length())));
    }

    private static String problem(String file) {
        try {
            ScenarioReader.read(
                    "probe.yaml",
                    file.startsWith("scenario:") || !file.contains(":\n") ? file : "scenario: x\n" + file);
            return "";
        } catch (YamlProblem e) {
            return String.valueOf(e.getMessage());
        }
    }
}
