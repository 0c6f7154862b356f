package dev.kip.checkpointer.generated;

import dev.kip.bundle.Rule;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletRule;
import dev.kip.checkpointer.kubelet.Stage;
import dev.kip.checkpointer.kubelet.Versions;
import dev.kip.checkpointer.sanitise.CheckpointTable;
import java.util.Locale;
import java.util.Optional;

/** The table and kubelet's rules as pages of the documentation. */
final class TableReference {

    private static final String GENERATED = "<!-- Generated from the code; a test compares it. -->\n\n";

    private TableReference() {}

    /** Markdown: what becomes of each field of a pod. */
    static String table() {
        StringBuilder page = new StringBuilder(8192);
        page.append("# What becomes of a pod's fields in its checkpoint\n\n").append(GENERATED);
        page.append(
                "In this order. A field without a row, known or not, is carried as it is. The last column says which"
                        + " kubelets do not bring back, or do not show, a pod that has the field; where it is empty, kubelet"
                        + " takes the field, and the reason is another.\n\n");
        page.append("| field | what becomes of it | why | kubelets that mind |\n|---|---|---|---|\n");
        for (Rule row : CheckpointTable.ROWS) {
            page.append("| `")
                    .append(row.path())
                    .append("` | ")
                    .append(word(row.action()))
                    .append(" | ")
                    .append(cell(row.reason()))
                    .append(" | ")
                    .append(minding(row).map(Versions::toString).orElse(""))
                    .append(" |\n");
        }
        return page.toString();
    }

    private static String word(Rule.Action action) {
        return switch (action) {
            case KEEP -> "kept";
            case DROP -> "dropped";
            case REWRITE -> "rewritten";
            case REFUSE -> "**refused**";
        };
    }

    /** The kubelets that do something worse with the field than to pass it over. */
    private static Optional<Versions> minding(Rule row) {
        return KubeletModel.RULES.stream()
                .filter(rule -> rule.stage() != Stage.RISK && row.action() != Rule.Action.KEEP)
                .filter(rule -> row.path().startsWith("spec")
                        ? within(rule.field(), row.path()) && !row.path().equals("spec")
                        : rule.field().equals(row.path()))
                .map(KubeletRule::versions)
                .reduce(Versions::and);
    }

    /** Whether a rule is about this very field or what is in it. */
    private static boolean within(String field, String path) {
        return field.startsWith(path)
                && (field.length() == path.length() || ".[".indexOf(field.charAt(path.length())) >= 0);
    }

    /** Markdown: what which kubelet does with which field. */
    static String rules() {
        StringBuilder page = new StringBuilder(16384);
        page.append("# What kubelet does with static pods, by version\n\n").append(GENERATED);
        page.append("Read from kubelet's sources, 1.11.3 to 1.37.2, one minor release after the other. `lint` and the"
                + " simulator go by these rules; `%s` stands for what is found. Stages are in kubelet's order.\n\n");
        for (Stage stage : Stage.values()) {
            page.append("## ").append(stage.name().toLowerCase(Locale.ROOT)).append(": ");
            page.append(stage.fate().text()).append("\n\n");
            page.append("| rule | field | kubelets | kubelet says | remedy | source |\n|---|---|---|---|---|---|\n");
            KubeletModel.RULES.stream().filter(rule -> rule.stage() == stage).forEach(rule -> row(rule, page));
            page.append('\n');
        }
        return page.toString().stripTrailing() + "\n";
    }

    private static void row(KubeletRule rule, StringBuilder page) {
        String reason = rule.reason().isEmpty() ? "" : rule.reason() + ": ";
        page.append("| ")
                .append(rule.id())
                .append(" | `")
                .append(rule.field())
                .append("` | ")
                .append(rule.versions())
                .append(" | ")
                .append(cell(reason + rule.message()))
                .append(" | ")
                .append(cell(rule.remedy()))
                .append(" | ")
                .append(cell(rule.source()))
                .append(" |\n");
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;");
    }
}
