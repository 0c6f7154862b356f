package dev.kip.controller.config;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.List;

/** The table of keys as text: one key explained, a file with every default, the reference. */
public final class ConfigText {

    private static final int WIDTH = 100;

    private ConfigText() {}

    /** One key, for a terminal. */
    public static String explain(Key<?> key) {
        StringBuilder text = new StringBuilder();
        text.append(key.path()).append('\n');
        wrapped(key.description())
                .forEach(line -> text.append("  ").append(line).append('\n'));
        text.append("  wanted:   ").append(key.form().wanted()).append('\n');
        text.append("  default:  ").append(defaultOf(key)).append('\n');
        text.append("  original: ")
                .append(key.original().orElse("had no such key"))
                .append('\n');
        return text.toString();
    }

    /** All keys, one a line. */
    public static String overview() {
        int widest = ProviderKeys.all().stream()
                .mapToInt(key -> key.path().length())
                .max()
                .orElse(0);
        StringBuilder text = new StringBuilder();
        for (Key<?> key : ProviderKeys.all()) {
            text.append(key.path())
                    .append(" ".repeat(widest + 2 - key.path().length()))
                    .append(firstSentence(key.description()))
                    .append('\n');
        }
        return text.toString();
    }

    /** A provider.yaml that says what counts anyway; keys without a default are commented out. */
    public static String defaults() {
        StringBuilder text = new StringBuilder("# What counts when provider.yaml does not say otherwise.\n");
        List<String> section = ImmutableList.of();
        for (Key<?> key : ProviderKeys.all()) {
            List<String> path = Splitter.on('.').splitToList(key.path());
            List<String> parents = path.subList(0, path.size() - 1);
            if (parents.isEmpty()) {
                text.append('\n');
            }
            for (int depth = 0; depth < parents.size(); depth++) {
                if (depth >= section.size() || !section.subList(0, depth + 1).equals(parents.subList(0, depth + 1))) {
                    text.append(depth == 0 ? "\n" : "")
                            .append("  ".repeat(depth))
                            .append(parents.get(depth))
                            .append(":\n");
                }
            }
            section = parents;
            String indent = "  ".repeat(parents.size());
            wrapped(key.description())
                    .forEach(line ->
                            text.append(indent).append("# ").append(line).append('\n'));
            String value = key.defaultText();
            text.append(indent)
                    .append(value.isEmpty() ? "# " : "")
                    .append(path.get(path.size() - 1))
                    .append(':')
                    .append(value.isEmpty() ? "" : " " + value)
                    .append('\n');
        }
        return text.toString();
    }

    /** docs/reference/provider-yaml.md. */
    public static String reference() {
        StringBuilder text = new StringBuilder();
        text.append("# provider.yaml\n\n")
                .append("<!-- Generated from dev.kip.controller.config.ProviderKeys. Do not edit. -->\n\n")
                .append(
                        "The controller reads one file, YAML or JSON, given by `--config`. Without it the defaults count. The whole\n")
                .append(
                        "file is checked before anything is touched, and everything that is wrong is told at once: keys that do not\n")
                .append("exist, values of the wrong form, keys given twice, keys that do not go together.\n\n")
                .append("    kip config check provider.yaml\n    kip config explain cells.defaultInstanceType\n")
                .append("    kip config print-default\n\n")
                .append("`apiVersion: v1` may stand at the top, as in the files of the original.\n\n## Keys\n\n")
                .append("| key | wanted | default | meaning | in the original |\n|---|---|---|---|---|\n");
        for (Key<?> key : ProviderKeys.all()) {
            text.append("| `")
                    .append(key.path())
                    .append("` | ")
                    .append(cell(key.form().wanted()));
            text.append(" | ").append(key.defaultText().isEmpty() ? "-" : "`" + cell(key.defaultText()) + "`");
            text.append(" | ").append(cell(key.description()));
            text.append(" | ").append(cell(key.original().orElse("-"))).append(" |\n");
        }
        text.append("\n## Keys of the original that are errors here\n\n| key | instead |\n|---|---|\n");
        RetiredKeys.all()
                .forEach((key, advice) -> text.append("| `")
                        .append(key)
                        .append("` | ")
                        .append(cell(advice))
                        .append(" |\n"));
        return text.toString();
    }

    private static String defaultOf(Key<?> key) {
        return key.defaultText().isEmpty() ? "none" : key.defaultText();
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("*", "\\*");
    }

    private static String firstSentence(String text) {
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    private static ImmutableList<String> wrapped(String text) {
        ImmutableList.Builder<String> lines = ImmutableList.builder();
        StringBuilder line = new StringBuilder();
        for (String word : Splitter.on(' ').split(text)) {
            if (line.length() + word.length() + 1 > WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        return lines.add(line.toString()).build();
    }
}
