package dev.kip.sim.apiserver.kinds;

import dev.kip.sim.apiserver.schema.FieldErrors;
import java.util.Optional;
import java.util.regex.Pattern;

/** The forms that names of objects must have (apimachinery util/validation). */
public enum Names {
    SUBDOMAIN(
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
            253,
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start"
                    + " and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "),
    LABEL(
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
            63,
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end"
                    + " with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "),
    SERVICE(
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            63,
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
                    + " character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for"
                    + " validation is "),
    PATH_SEGMENT("(?!\\.{1,2}$)[^/%]+", Integer.MAX_VALUE, "may not be '.' or '..', or contain '/' or '%'");

    private final Pattern pattern;
    private final int longest;
    private final String rule;

    Names(String pattern, int longest, String rule) {
        this.pattern = Pattern.compile(pattern);
        this.longest = longest;
        this.rule = rule;
    }

    /** What is wrong with a name; empty if nothing. */
    public Optional<String> problem(String name) {
        if (name.length() > longest) {
            return Optional.of("must be no more than " + longest + " bytes");
        }
        if (pattern.matcher(name).matches()) {
            return Optional.empty();
        }
        return Optional.of(rule.endsWith(" is ") ? rule + "'" + pattern.pattern() + "')" : rule);
    }

    void check(String path, String name, FieldErrors errors) {
        problem(name).ifPresent(problem -> errors.invalid(path, FieldErrors.quoted(name), problem));
    }
}
