package dev.kip.sim.apiserver.selector;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import tools.jackson.databind.JsonNode;

/**
 * A label selector: requirements that must all hold. Grammar of k8s.io/apimachinery/pkg/labels: {@code k}, {@code !k},
 * {@code k=v}, {@code k==v}, {@code k!=v}, {@code k in (a,b)}, {@code k notin (a,b)}, {@code k>1}, {@code k<1}.
 */
public final class LabelSelector {

    public static final LabelSelector EVERYTHING = new LabelSelector(ImmutableList.of());

    private final ImmutableList<Requirement> requirements;

    LabelSelector(ImmutableList<Requirement> requirements) {
        this.requirements = requirements;
    }

    /** @throws BadSelector if it does not follow the grammar */
    public static LabelSelector parse(String text) {
        return text.isBlank() ? EVERYTHING : new LabelSelector(new LabelParser(text).requirements());
    }

    /** From a {@code metav1.LabelSelector} in an object; an absent one selects nothing, an empty one everything. */
    public static LabelSelector of(JsonNode selector) {
        ImmutableList.Builder<Requirement> requirements = ImmutableList.builder();
        if (!selector.isObject()) {
            return new LabelSelector(ImmutableList.of(new Requirement("", Operator.NEVER, ImmutableSet.of())));
        }
        selector.path("matchLabels")
                .forEachEntry((key, value) ->
                        requirements.add(new Requirement(key, Operator.IN, ImmutableSet.of(value.asString("")))));
        for (JsonNode expression : selector.path("matchExpressions")) {
            ImmutableSet.Builder<String> values = ImmutableSet.builder();
            expression.path("values").forEach(value -> values.add(value.asString("")));
            Operator operator = switch (expression.path("operator").asString("")) {
                case "In" -> Operator.IN;
                case "NotIn" -> Operator.NOT_IN;
                case "Exists" -> Operator.EXISTS;
                case "DoesNotExist" -> Operator.ABSENT;
                default -> Operator.NEVER;
            };
            requirements.add(new Requirement(expression.path("key").asString(""), operator, values.build()));
        }
        return new LabelSelector(requirements.build());
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    /** @param labels the object's {@code metadata.labels}; may be missing */
    public boolean matches(JsonNode labels) {
        for (Requirement requirement : requirements) {
            if (!requirement.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        ABSENT,
        GREATER,
        LESS,
        NEVER
    }

    record Requirement(String key, Operator operator, ImmutableSet<String> values) {

        boolean matches(JsonNode labels) {
            JsonNode value = labels.path(key);
            return switch (operator) {
                case IN -> value.isString() && values.contains(value.stringValue());
                case NOT_IN -> !value.isString() || !values.contains(value.stringValue());
                case EXISTS -> value.isString();
                case ABSENT -> !value.isString();
                case GREATER -> value.isString() && compare(value.stringValue()) > 0;
                case LESS -> value.isString() && compare(value.stringValue()) < 0;
                case NEVER -> false;
            };
        }

        /** Sign of label minus bound; 0, so no match, if the label is no number. */
        private int compare(String label) {
            try {
                return Long.compare(
                        Long.parseLong(label), Long.parseLong(values.iterator().next()));
            } catch (NumberFormatException notANumber) {
                return 0;
            }
        }
    }
}
