package dev.kip.sim.apiserver.selector;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** A field selector: {@code a=b}, {@code a==b} and {@code a!=b}, joined by commas that mean "and". */
public final class FieldSelector {

    public static final FieldSelector EVERYTHING = new FieldSelector(ImmutableList.of());

    /** What objects of each kind can be selected by; of a kind that knows nothing more, kube-apiserver speaks otherwise. */
    private static final ImmutableSet<String> EVERY_KIND = ImmutableSet.of("metadata.name", "metadata.namespace");

    private final ImmutableList<Requirement> requirements;

    private FieldSelector(ImmutableList<Requirement> requirements) {
        this.requirements = requirements;
    }

    /**
     * @param fields what can be selected by, and how it is read from an object
     * @param custom whether the kind is a custom resource, of which an unknown field is refused in other words
     * @throws BadSelector if it does not follow the grammar or names another field
     */
    public static FieldSelector parse(
            String text, ImmutableMap<String, Function<JsonNode, String>> fields, boolean custom) {
        if (text.isBlank()) {
            return EVERYTHING;
        }
        ImmutableList.Builder<Requirement> requirements = ImmutableList.builder();
        for (String term : terms(text)) {
            int equals = term.indexOf('=');
            if (equals <= 0) {
                throw new BadSelector("invalid selector: '" + text + "'; can't understand '" + term + "'");
            }
            boolean negated = term.charAt(equals - 1) == '!';
            String label = term.substring(0, negated ? equals - 1 : equals).trim();
            int valueStart = !negated && term.startsWith("==", equals) ? equals + 2 : equals + 1;
            Function<JsonNode, String> reader = fields.get(label);
            if (reader == null) {
                throw new BadSelector(
                        !custom && EVERY_KIND.containsAll(fields.keySet())
                                ? "\"" + label
                                        + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                                : "field label not supported: " + label);
            }
            requirements.add(new Requirement(label, reader, unescaped(term.substring(valueStart)), negated));
        }
        return new FieldSelector(requirements.build());
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    public boolean matches(JsonNode object) {
        for (Requirement requirement : requirements) {
            if (requirement.reader.apply(object).equals(requirement.value) == requirement.negated) {
                return false;
            }
        }
        return true;
    }

    /** The one value that this field must have, if the selector says so; lets a read by name skip the scan. */
    public Optional<String> exact(String label) {
        return requirements.stream()
                .filter(requirement -> requirement.label.equals(label) && !requirement.negated)
                .map(Requirement::value)
                .findFirst();
    }

    private static ImmutableList<String> terms(String text) {
        ImmutableList.Builder<String> terms = ImmutableList.builder();
        StringBuilder term = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                term.append(c).append(text.charAt(++i));
            } else if (c == ',') {
                if (!term.isEmpty()) {
                    terms.add(term.toString());
                }
                term.setLength(0);
            } else {
                term.append(c);
            }
        }
        if (!term.isEmpty()) {
            terms.add(term.toString());
        }
        return terms.build();
    }

    private static String unescaped(String value) {
        return value.replace("\\,", ",").replace("\\=", "=").replace("\\\\", "\\");
    }

    private record Requirement(String label, Function<JsonNode, String> reader, String value, boolean negated) {}
}
