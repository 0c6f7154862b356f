package dev.kip.sim.dynamodb;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The expressions of one request, with the names and values that stand in for attributes: terms joined by AND, each
 * {@code attribute_exists(#a)}, {@code attribute_not_exists(#a)}, {@code #a = :v} or {@code begins_with(#a, :v)}. Names
 * must be given by stand-ins, since some are reserved words. The rest of DynamoDB's language is refused.
 */
final class Expression {

    private static final Splitter AND =
            Splitter.on(Pattern.compile("\\s+AND\\s+")).trimResults();
    private static final Splitter COMMA = Splitter.on(',').trimResults();
    private static final Pattern EXISTS = Pattern.compile("attribute_(not_)?exists\\s*\\(\\s*(#\\w+)\\s*\\)");
    private static final Pattern EQUALS = Pattern.compile("(#\\w+)\\s*=\\s*(:\\w+)");
    private static final Pattern BEGINS = Pattern.compile("begins_with\\s*\\(\\s*(#\\w+)\\s*,\\s*(:\\w+)\\s*\\)");

    private final ObjectNode request;
    private final Set<String> used = new LinkedHashSet<>();

    Expression(ObjectNode request) {
        this.request = request;
    }

    /** The condition in this member of the request; met by anything if there is none. */
    Predicate<ObjectNode> condition(String member) {
        Optional<String> text = request.optional(member).map(JsonNode::asString);
        Predicate<ObjectNode> all = item -> true;
        for (String term : text.map(AND::splitToList).orElse(ImmutableList.of())) {
            all = all.and(term(member, term));
        }
        return all;
    }

    private Predicate<ObjectNode> term(String member, String term) {
        Matcher exists = EXISTS.matcher(term);
        if (exists.matches()) {
            String name = name(exists.group(2));
            boolean wanted = exists.group(1) == null;
            return item -> item.has(name) == wanted;
        }
        Matcher equals = EQUALS.matcher(term);
        if (equals.matches()) {
            String name = name(equals.group(1));
            JsonNode value = value(equals.group(2));
            return item -> value.equals(item.path(name));
        }
        Matcher begins = BEGINS.matcher(term);
        if (begins.matches()) {
            String name = name(begins.group(1));
            String value = value(begins.group(2)).path("S").asString("");
            return item -> item.path(name).path("S").asString("").startsWith(value) && item.has(name);
        }
        throw DynamoDbFailure.validation("Invalid " + member
                + ": this simulated DynamoDB has attribute_exists(#a), attribute_not_exists(#a), #a = :v and"
                + " begins_with(#a, :v), joined by AND; found: \"" + term + "\"");
    }

    /** The attributes of ProjectionExpression; empty for all. */
    ImmutableList<String> projection() {
        return request.optional("ProjectionExpression")
                .map(text ->
                        COMMA.splitToStream(text.asString()).map(this::name).collect(ImmutableList.toImmutableList()))
                .orElse(ImmutableList.of());
    }

    private String name(String standIn) {
        used.add(standIn);
        JsonNode name = request.path("ExpressionAttributeNames").path(standIn);
        if (!name.isString()) {
            throw DynamoDbFailure.validation(
                    "An expression attribute name used in the document path is not defined; attribute name: "
                            + standIn);
        }
        return name.stringValue();
    }

    private JsonNode value(String standIn) {
        used.add(standIn);
        JsonNode value = request.path("ExpressionAttributeValues").path(standIn);
        if (!value.isObject()) {
            throw DynamoDbFailure.validation(
                    "An expression attribute value used in expression is not defined; attribute value: " + standIn);
        }
        return value;
    }

    /** DynamoDB refuses what no expression uses; called once all have been read. */
    void refuseUnused() {
        for (String member : ImmutableList.of("ExpressionAttributeNames", "ExpressionAttributeValues")) {
            request.path(member).propertyNames().stream()
                    .filter(standIn -> !used.contains(standIn))
                    .findFirst()
                    .ifPresent(standIn -> {
                        throw DynamoDbFailure.validation(
                                "Value provided in " + member + " unused in expressions: keys: {" + standIn + "}");
                    });
        }
    }
}
