package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Pattern;

/** One line of a node selector or of a node affinity, with the scheduler's operators. */
public record Requirement(String key, Operator operator, ImmutableList<String> values) {

    /** Node selector operators, named as the API names them. */
    public enum Operator {
        IN("In"),
        NOT_IN("NotIn"),
        EXISTS("Exists"),
        DOES_NOT_EXIST("DoesNotExist"),
        GT("Gt"),
        LT("Lt");

        private final String word;

        Operator(String word) {
            this.word = word;
        }

        static Optional<Operator> of(String word) {
            for (Operator operator : values()) {
                if (operator.word.equals(word)) {
                    return Optional.of(operator);
                }
            }
            return Optional.empty();
        }
    }

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,40}");

    static Requirement equal(String key, String value) {
        return new Requirement(key, Operator.IN, ImmutableList.of(value));
    }

    /** @param label the node's value for the key; empty if it has no such label */
    boolean admits(Optional<String> label) {
        switch (operator) {
            case IN:
                return label.filter(values::contains).isPresent();
            case NOT_IN:
                return label.filter(values::contains).isEmpty();
            case EXISTS:
                return label.isPresent();
            case DOES_NOT_EXIST:
                return label.isEmpty();
            case GT:
                return compared(label) > 0;
            default:
                return compared(label) < 0;
        }
    }

    /** Whether this asks for a label of that very value. */
    boolean names(Optional<String> label) {
        return operator == Operator.IN && admits(label);
    }

    /** 0 too if either is no integer: then neither operator admits it, as with the scheduler. */
    private int compared(Optional<String> label) {
        if (label.isEmpty() || values.size() != 1 || !integer(label.get()) || !integer(values.get(0))) {
            return 0;
        }
        return new BigInteger(label.get()).compareTo(new BigInteger(values.get(0)));
    }

    private static boolean integer(String text) {
        return INTEGER.matcher(text).matches();
    }

    String text() {
        return key + " " + operator.word + (values.isEmpty() ? "" : " " + String.join(", ", values));
    }
}
