package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.math.BigInteger;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Whether a pod's selector and required affinity take the node, as kubelet's admission sees it. */
final class NodeSelection {

    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    private NodeSelection() {}

    static Stream<Hit> selector(Look look) {
        ImmutableSortedMap<String, String> labels = look.node().seenBy(look.version(), look.api());
        return look.spec().path("nodeSelector").properties().stream()
                .filter(wanted -> !wanted.getValue().asString("").equals(labels.get(wanted.getKey())))
                .map(wanted -> Hit.at("spec.nodeSelector." + wanted.getKey()));
    }

    static Stream<Hit> affinity(Look look) {
        JsonNode required = look.spec().path("affinity").path("nodeAffinity").path(REQUIRED);
        if (!required.isObject()) {
            return Stream.empty();
        }
        ImmutableSortedMap<String, String> labels = look.node().seenBy(look.version(), look.api());
        for (JsonNode term : required.path("nodeSelectorTerms")) {
            if (takes(term, look.node().name(), labels)) {
                return Stream.empty();
            }
        }
        return Stream.of(Hit.at("spec.affinity.nodeAffinity." + REQUIRED));
    }

    /** A term without any requirement takes no node: that is the defect of 2018. */
    private static boolean takes(JsonNode term, String node, ImmutableSortedMap<String, String> labels) {
        JsonNode expressions = term.path("matchExpressions");
        JsonNode fields = term.path("matchFields");
        if (expressions.isEmpty() && fields.isEmpty()) {
            return false;
        }
        for (JsonNode expression : expressions) {
            if (!holds(
                    expression,
                    Optional.ofNullable(labels.get(expression.path("key").asString(""))))) {
                return false;
            }
        }
        for (JsonNode field : fields) {
            boolean known = field.path("key").asString("").equals("metadata.name");
            if (!known || !holds(field, Optional.of(node))) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(JsonNode requirement, Optional<String> value) {
        return switch (requirement.path("operator").asString("")) {
            case "In" -> value.isPresent() && among(requirement, value.get());
            case "NotIn" -> value.isEmpty() || !among(requirement, value.get());
            case "Exists" -> value.isPresent();
            case "DoesNotExist" -> value.isEmpty();
            case "Gt" -> compare(requirement, value) > 0;
            case "Lt" -> compare(requirement, value) < 0;
            default -> false;
        };
    }

    private static boolean among(JsonNode requirement, String value) {
        for (JsonNode one : requirement.path("values")) {
            if (one.asString("").equals(value)) {
                return true;
            }
        }
        return false;
    }

    /** The label against the one value; 0 if either is no number. */
    private static int compare(JsonNode requirement, Optional<String> value) {
        Optional<BigInteger> label = value.flatMap(NodeSelection::number);
        Optional<BigInteger> bound = number(requirement.path("values").path(0).asString(""));
        return label.isPresent() && bound.isPresent() ? label.get().compareTo(bound.get()) : 0;
    }

    private static Optional<BigInteger> number(String text) {
        return text.matches("-?\\d{1,18}") ? Optional.of(new BigInteger(text)) : Optional.empty();
    }
}
