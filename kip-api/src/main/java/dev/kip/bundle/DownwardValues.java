package dev.kip.bundle;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Values of a pod's own fields in a downward API volume, formatted as kubelet formats them. */
public final class DownwardValues {

    private static final Pattern KEY = Pattern.compile("metadata\\.(labels|annotations)\\['(.*)'\\]");

    private DownwardValues() {}

    /** Empty for a field that only the running pod has. */
    public static Optional<String> of(JsonNode pod, String fieldPath) {
        JsonNode metadata = pod.path("metadata");
        Matcher key = KEY.matcher(fieldPath);
        if (key.matches()) {
            return Optional.of(metadata.path(key.group(1)).path(key.group(2)).asString(""));
        }
        return switch (fieldPath) {
            case "metadata.name", "metadata.namespace", "metadata.uid" ->
                Optional.of(
                        metadata.path(fieldPath.substring("metadata.".length())).asString(""));
            case "metadata.labels", "metadata.annotations" ->
                Optional.of(lines(metadata.path(fieldPath.substring("metadata.".length()))));
            default -> Optional.empty();
        };
    }

    /** {@code key="value"}, sorted, a line each, values quoted as in Go. */
    private static String lines(JsonNode map) {
        Map<String, String> sorted = new TreeMap<>();
        map.properties()
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue().asString("")));
        StringBuilder lines = new StringBuilder();
        sorted.forEach((key, value) -> lines.append(lines.isEmpty() ? "" : "\n")
                .append(key)
                .append('=')
                .append(quote(value)));
        return lines.toString();
    }

    private static String quote(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        value.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ' || c == 0x7f) {
                        quoted.append(String.format(Locale.ROOT, "\\x%02x", c));
                    } else {
                        quoted.appendCodePoint(c);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }
}
