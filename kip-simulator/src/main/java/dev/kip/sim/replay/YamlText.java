package dev.kip.sim.replay;

import dev.kip.yaml.Yaml;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes YAML as people write scenario files: the sections and lists of the file line by line, what is inside on one line. */
final class YamlText {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9/._-][A-Za-z0-9/._*@ +=()-]*");
    private static final Pattern PLAIN_AT_THE_END = Pattern.compile("[A-Za-z0-9/._-][^:#\"'{}\\[\\]&*!|>%`\\\\]*");

    private YamlText() {}

    /** A whole file. */
    static String document(Yaml.Mapping root) {
        StringBuilder text = new StringBuilder();
        root.entries().forEach((key, value) -> {
            text.append(word(key)).append(':');
            if (value instanceof Yaml.Sequence list && !list.items().isEmpty()) {
                text.append('\n');
                list.items()
                        .forEach(item -> text.append("  - ").append(item(item)).append('\n'));
            } else if (value instanceof Yaml.Mapping map && !map.entries().isEmpty()) {
                text.append('\n');
                map.entries()
                        .forEach((name, inner) -> text.append("  ")
                                .append(word(name))
                                .append(": ")
                                .append(last(inner))
                                .append('\n'));
            } else {
                text.append(' ').append(last(value)).append('\n');
            }
        });
        return text.toString();
    }

    /** {@code wait: 5s}: an item with one key needs no braces. */
    private static String item(Yaml item) {
        if (item instanceof Yaml.Mapping map && map.entries().size() == 1) {
            Map.Entry<String, Yaml> only = map.entries().entrySet().iterator().next();
            return word(only.getKey()) + ": " + last(only.getValue());
        }
        return flow(item);
    }

    private static String last(Yaml value) {
        if (value instanceof Yaml.Scalar scalar && !scalar.isNull()) {
            boolean asWritten = scalar.plain() || means(scalar.text());
            return asWritten
                            && PLAIN_AT_THE_END.matcher(scalar.text()).matches()
                            && !scalar.text().endsWith(" ")
                    ? scalar.text()
                    : quoted(scalar.text());
        }
        return flow(value);
    }

    static String flow(Yaml value) {
        if (value instanceof Yaml.Mapping map) {
            return map.entries().entrySet().stream()
                    .map(entry -> word(entry.getKey()) + ": " + flow(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof Yaml.Sequence list) {
            return list.items().stream().map(YamlText::flow).collect(Collectors.joining(", ", "[", "]"));
        }
        Yaml.Scalar scalar = (Yaml.Scalar) value;
        if (scalar.isNull()) {
            return "null";
        }
        return scalar.plain() || means(scalar.text()) ? word(scalar.text()) : quoted(scalar.text());
    }

    /** Whether the text means itself when it is not quoted, and neither a number nor a truth value. */
    private static boolean means(String text) {
        return !text.isEmpty()
                && Character.isLetter(text.charAt(0))
                && !text.toLowerCase(Locale.ROOT).matches("true|false|null|on|off|yes|no");
    }

    private static String word(String text) {
        return PLAIN.matcher(text).matches() && !text.endsWith(" ") ? text : quoted(text);
    }

    private static String quoted(String text) {
        return '"'
                + text.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\t", "\\t")
                + '"';
    }
}
