package dev.kip.sim.apiserver.selector;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.selector.LabelSelector.Operator;
import dev.kip.sim.apiserver.selector.LabelSelector.Requirement;
import java.util.regex.Pattern;

/** Reads the text form of a label selector. */
final class LabelParser {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
    private static final Pattern PREFIX = Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");

    private final String text;
    private int at;

    LabelParser(String text) {
        this.text = text;
    }

    ImmutableList<Requirement> requirements() {
        ImmutableList.Builder<Requirement> found = ImmutableList.builder();
        do {
            found.add(requirement());
        } while (skip(','));
        if (at < text.length()) {
            throw bad("found '" + text.substring(at) + "', expected: ',' or 'end of string'");
        }
        return found.build();
    }

    private Requirement requirement() {
        if (skip('!')) {
            return new Requirement(key(word()), Operator.ABSENT, ImmutableSet.of());
        }
        String key = key(word());
        if (skip('=')) {
            skip('=');
            return new Requirement(key, Operator.IN, ImmutableSet.of(value(word())));
        }
        if (skip('!')) {
            if (!skip('=')) {
                throw bad("found '!', expected: in, notin, =, ==, !=, gt, lt");
            }
            return new Requirement(key, Operator.NOT_IN, ImmutableSet.of(value(word())));
        }
        if (skip('>')) {
            return new Requirement(key, Operator.GREATER, ImmutableSet.of(number(word())));
        }
        if (skip('<')) {
            return new Requirement(key, Operator.LESS, ImmutableSet.of(number(word())));
        }
        spaces();
        if (at == text.length() || text.charAt(at) == ',') {
            return new Requirement(key, Operator.EXISTS, ImmutableSet.of());
        }
        String operator = word();
        return switch (operator) {
            case "in" -> new Requirement(key, Operator.IN, set());
            case "notin" -> new Requirement(key, Operator.NOT_IN, set());
            default -> throw bad("found '" + operator + "', expected: in, notin, =, ==, !=, gt, lt");
        };
    }

    private ImmutableSet<String> set() {
        if (!skip('(')) {
            throw bad("found '" + text.substring(at) + "', expected: '('");
        }
        ImmutableSet.Builder<String> values = ImmutableSet.builder();
        do {
            values.add(value(word()));
        } while (skip(','));
        if (!skip(')')) {
            throw bad("found '" + text.substring(at) + "', expected: ',' or ')'");
        }
        return values.build();
    }

    private String key(String key) {
        int slash = key.indexOf('/');
        String name = key.substring(slash + 1);
        boolean prefixFits =
                slash < 0 || PREFIX.matcher(key.substring(0, slash)).matches();
        if (!prefixFits || !NAME.matcher(name).matches()) {
            throw bad(
                    "<nil>: Invalid value: \"" + key + "\": name part must consist of alphanumeric characters, '-', '_'"
                            + " or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or"
                            + " '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
        }
        return key;
    }

    private String value(String value) {
        if (!value.isEmpty() && !NAME.matcher(value).matches()) {
            throw bad("values[0][" + value + "]: Invalid value: \"" + value
                    + "\": a valid label must be an empty string or"
                    + " consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character");
        }
        return value;
    }

    private String number(String value) {
        if (!value.matches("-?[0-9]{1,18}")) {
            throw bad("values[0]: Invalid value: \"" + value
                    + "\": for 'Gt', 'Lt' operators, the value must be an integer");
        }
        return value;
    }

    private String word() {
        spaces();
        int start = at;
        while (at < text.length() && " \t,()=!<>".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(start, at);
    }

    private boolean skip(char expected) {
        spaces();
        if (at < text.length() && text.charAt(at) == expected) {
            at++;
            return true;
        }
        return false;
    }

    private void spaces() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
    }

    private static BadSelector bad(String why) {
        return new BadSelector("unable to parse requirement: " + why);
    }
}
