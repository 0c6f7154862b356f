package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.launch.NeedsReader.Unusable;
import dev.kip.controller.launch.Requirement.Operator;
import dev.kip.controller.launch.Spread.Constraint;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads a {@link Spread} from a pod. Pure. */
final class SpreadReader {

    private SpreadReader() {}

    static Spread read(JsonNode metadata, JsonNode spec) throws Unusable {
        ImmutableMap.Builder<String, String> labels = ImmutableMap.builder();
        metadata.path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asString("")));
        ImmutableMap<String, String> own = labels.buildOrThrow();
        ImmutableList.Builder<Constraint> constraints = ImmutableList.builder();
        for (JsonNode constraint : spec.path("topologySpreadConstraints")) {
            if (Labels.ZONE.contains(constraint.path("topologyKey").asString(""))) {
                constraints.add(new Constraint(
                        Math.max(1, constraint.path("maxSkew").asInt(1)),
                        !"ScheduleAnyway"
                                .equals(constraint.path("whenUnsatisfiable").asString("")),
                        constraint.path("minDomains").asInt(1),
                        like(constraint, own)));
            }
        }
        return new Spread(own, constraints.build());
    }

    /** A selector that is missing counts no pod, one that is empty counts all of the namespace. */
    private static Optional<ImmutableList<Requirement>> like(JsonNode constraint, ImmutableMap<String, String> own)
            throws Unusable {
        JsonNode selector = constraint.path("labelSelector");
        if (!selector.isObject()) {
            return Optional.empty();
        }
        ImmutableList.Builder<Requirement> like = ImmutableList.builder();
        selector.path("matchLabels")
                .properties()
                .forEach(label -> like.add(
                        Requirement.equal(label.getKey(), label.getValue().asString(""))));
        for (JsonNode expression : selector.path("matchExpressions")) {
            like.add(requirement(expression));
        }
        for (JsonNode key : constraint.path("matchLabelKeys")) {
            String value = own.getOrDefault(key.asString(""), "");
            if (own.containsKey(key.asString(""))) {
                like.add(Requirement.equal(key.asString(""), value));
            }
        }
        return Optional.of(like.build());
    }

    private static Requirement requirement(JsonNode expression) throws Unusable {
        String word = expression.path("operator").asString("");
        ImmutableList.Builder<String> values = ImmutableList.builder();
        expression.path("values").forEach(value -> values.add(value.asString("")));
        Operator operator = Operator.of(word)
                .filter(found -> found != Operator.GT && found != Operator.LT)
                .orElseThrow(() -> new Unusable(new Problem(
                        "InvalidTopologySpread",
                        "spec.topologySpreadConstraints: \"" + word + "\" is no operator of a label selector")));
        return new Requirement(expression.path("key").asString(""), operator, values.build());
    }
}
