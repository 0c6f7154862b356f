package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.launch.NeedsReader.Unusable;
import dev.kip.controller.launch.Requirement.Operator;
import tools.jackson.databind.JsonNode;

/** Reads a {@link Selection} from a pod's spec. Pure. */
final class SelectionReader {

    private SelectionReader() {}

    static Selection read(JsonNode spec) throws Unusable {
        ImmutableList.Builder<Requirement> all = ImmutableList.builder();
        for (var entry : spec.path("nodeSelector").properties()) {
            all.add(Requirement.equal(entry.getKey(), entry.getValue().asString("")));
        }
        JsonNode os = spec.path("os").path("name");
        if (!os.isMissingNode()) {
            all.add(Requirement.equal("kubernetes.io/os", os.asString("")));
        }
        JsonNode affinity = spec.path("affinity")
                .path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution")
                .path("nodeSelectorTerms");
        return new Selection(all.build(), terms(affinity));
    }

    /** A term that says nothing admits no node, as with the scheduler. */
    private static ImmutableList<ImmutableList<Requirement>> terms(JsonNode affinity) throws Unusable {
        ImmutableList.Builder<ImmutableList<Requirement>> terms = ImmutableList.builder();
        for (JsonNode term : affinity) {
            ImmutableList.Builder<Requirement> requirements = ImmutableList.builder();
            for (JsonNode expression : term.path("matchExpressions")) {
                requirements.add(requirement(expression));
            }
            if (!term.path("matchExpressions").isEmpty()
                    || !term.path("matchFields").isEmpty()) {
                terms.add(requirements.build());
            }
        }
        ImmutableList<ImmutableList<Requirement>> found = terms.build();
        if (!affinity.isEmpty() && found.isEmpty()) {
            throw new Unusable(new Problem(
                    "InvalidAffinity", "spec.affinity.nodeAffinity: its terms are empty, and so no node matches them"));
        }
        return found;
    }

    private static Requirement requirement(JsonNode expression) throws Unusable {
        String key = expression.path("key").asString("");
        String word = expression.path("operator").asString("");
        ImmutableList.Builder<String> values = ImmutableList.builder();
        expression.path("values").forEach(value -> values.add(value.asString("")));
        Operator operator = Operator.of(word)
                .orElseThrow(() -> new Unusable(new Problem(
                        "InvalidAffinity",
                        "spec.affinity.nodeAffinity: " + key + ": \"" + word
                                + "\" is no operator of a node selector")));
        return new Requirement(key, operator, values.build());
    }
}
