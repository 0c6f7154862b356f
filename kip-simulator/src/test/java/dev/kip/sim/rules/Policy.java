package dev.kip.sim.rules;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An IAM policy document and what it allows, by the rules of IAM as far as our documents use them: statements that allow;
 * exact actions; wildcards in resources; conditions that must all hold, each by any of its values; a key that is absent
 * meets no condition except those with IfExists or ForAllValues.
 */
final class Policy {

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}]+)}");

    private final JsonNode document;

    private Policy(JsonNode document) {
        this.document = document;
    }

    /** @throws IOException if it is no JSON */
    static Policy read(String name) throws IOException {
        return new Policy(JsonMapper.shared()
                .readTree(Files.readString(
                        Path.of("..", "kip-controller", "deploy").resolve(name))));
    }

    JsonNode document() {
        return document;
    }

    SortedSet<String> actions() {
        SortedSet<String> actions = new TreeSet<>();
        document.path("Statement").forEach(statement -> actions.addAll(texts(statement.path("Action"))));
        return actions;
    }

    /** @param context condition keys with their values, several of one key separated by commas */
    boolean allows(String action, String resource, ImmutableMap<String, String> context) {
        for (JsonNode statement : document.path("Statement")) {
            if (texts(statement.path("Action")).contains(action)
                    && texts(statement.path("Resource")).stream().anyMatch(pattern -> like(pattern, resource))
                    && holds(statement.path("Condition"), context)) {
                return true;
            }
        }
        return false;
    }

    private static boolean holds(JsonNode conditions, ImmutableMap<String, String> context) {
        return conditions.properties().stream()
                .allMatch(operator -> operator.getValue().properties().stream()
                        .allMatch(condition ->
                                holds(operator.getKey(), condition.getKey(), texts(condition.getValue()), context)));
    }

    private static boolean holds(
            String operator, String key, ImmutableList<String> wanted, ImmutableMap<String, String> context) {
        Optional<String> found = Optional.ofNullable(context.get(key));
        return switch (operator) {
            case "StringEquals", "Bool" ->
                found.isPresent()
                        && wanted.stream()
                                .anyMatch(value -> resolved(value, context).equals(found));
            case "StringLike", "ArnLike" -> found.isPresent() && anyLike(wanted, found.get(), context);
            case "StringLikeIfExists" -> found.isEmpty() || anyLike(wanted, found.get(), context);
            case "ForAllValues:StringEquals" ->
                found.isEmpty()
                        || wanted.containsAll(ImmutableList.copyOf(found.get().split(",", -1)));
            default -> throw new IllegalArgumentException("an operator that this test does not know: " + operator);
        };
    }

    private static boolean anyLike(ImmutableList<String> wanted, String found, ImmutableMap<String, String> context) {
        return wanted.stream()
                .anyMatch(pattern -> resolved(pattern, context)
                        .filter(text -> like(text, found))
                        .isPresent());
    }

    /** Empty if it names a variable that has no value: then nothing is equal to it. */
    private static Optional<String> resolved(String text, Map<String, String> context) {
        Matcher variable = VARIABLE.matcher(text);
        if (!variable.find()) {
            return Optional.of(text);
        }
        return Optional.ofNullable(context.get(variable.group(1))).map(value -> text.replace(variable.group(), value));
    }

    private static boolean like(String pattern, String text) {
        String regex = Pattern.quote(pattern).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
        return text.matches(regex);
    }

    private static ImmutableList<String> texts(JsonNode node) {
        if (node.isString()) {
            return ImmutableList.of(node.stringValue());
        }
        return node.valueStream().map(JsonNode::asString).collect(ImmutableList.toImmutableList());
    }
}
