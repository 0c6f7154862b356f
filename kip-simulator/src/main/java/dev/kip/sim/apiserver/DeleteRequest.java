package dev.kip.sim.apiserver;

import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;

/**
 * What a {@code DeleteOptions} asks for.
 *
 * @param gracePeriodSeconds empty for what the object itself says
 * @param propagation {@code Foreground}, {@code Background}, {@code Orphan}; empty for the kind's default
 */
record DeleteRequest(
        OptionalInt gracePeriodSeconds,
        String propagation,
        Optional<String> uid,
        Optional<String> resourceVersion,
        boolean dryRun) {

    static DeleteRequest of(JsonNode options) {
        JsonNode grace = options.path("gracePeriodSeconds");
        JsonNode preconditions = options.path("preconditions");
        String propagation = options.path("propagationPolicy").asString("");
        if (options.path("orphanDependents").isBoolean() && propagation.isEmpty()) {
            propagation = options.path("orphanDependents").booleanValue() ? "Orphan" : "Background";
        }
        return new DeleteRequest(
                grace.isIntegralNumber() ? OptionalInt.of(Math.max(grace.intValue(), 0)) : OptionalInt.empty(),
                propagation,
                text(preconditions.path("uid")),
                text(preconditions.path("resourceVersion")),
                !options.path("dryRun").isEmpty());
    }

    private static Optional<String> text(JsonNode node) {
        return Optional.of(node.asString("")).filter(text -> !text.isEmpty());
    }

    DeleteRequest dry(boolean alsoByParameter) {
        return new DeleteRequest(gracePeriodSeconds, propagation, uid, resourceVersion, dryRun || alsoByParameter);
    }
}
