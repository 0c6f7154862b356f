package dev.kip.checkpointer.lint;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.ApiServer;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.Stage;
import dev.kip.checkpointer.kubelet.Trouble;
import dev.kip.checkpointer.sanitise.Finding;
import java.util.ArrayList;
import java.util.List;

/** The verdict for people: a table of fields, and below each what kubelet says and what helps. */
final class TextReport {

    private final ImmutableList<KubeletVersion> versions;
    private final ApiServer api;

    TextReport(ImmutableList<KubeletVersion> versions, ApiServer api) {
        this.versions = versions;
        this.api = api;
    }

    String text(List<Verdict> verdicts) {
        StringBuilder text = new StringBuilder(512);
        for (Verdict verdict : verdicts) {
            pod(verdict, text);
        }
        long back = verdicts.stream().filter(Verdict::comesBack).count();
        return text.append("comes back with ")
                .append(without())
                .append(versions.size() == 1 ? " on kubelet " + versions.get(0) : " on every version asked for")
                .append(": ")
                .append(back)
                .append(" of ")
                .append(verdicts.size())
                .toString();
    }

    private String without() {
        return switch (api) {
            case AWAY -> "the API server away";
            case PRESENT -> "the API server present";
            case NONE -> "no API server configured";
        };
    }

    private void pod(Verdict verdict, StringBuilder text) {
        text.append(verdict.document().file())
                .append(": ")
                .append(verdict.document().name())
                .append('\n');
        int width = versions.stream().mapToInt(v -> v.toString().length()).max().orElse(0);
        for (KubeletVersion version : versions) {
            text.append("  kubelet ")
                    .append(Strings.padEnd(version.toString(), width, ' '))
                    .append("  ")
                    .append(verdict.text(version))
                    .append('\n');
        }
        if (!verdict.rows().isEmpty()) {
            text.append('\n');
            rows(verdict, text);
        }
        obstacles(verdict, text);
        text.append('\n');
    }

    private void rows(Verdict verdict, StringBuilder text) {
        List<String[]> cells = new ArrayList<>();
        cells.add(new String[] {"LINE", "FIELD", "VERDICT", "KUBELETS"});
        for (Verdict.Row row : verdict.rows()) {
            int line = verdict.document().line(row.trouble().path());
            cells.add(new String[] {
                line == 0 ? "-" : String.valueOf(line),
                row.trouble().path(),
                word(row.trouble().rule().stage()),
                row.versions().toString()
            });
        }
        int[] widths = new int[cells.get(0).length];
        for (String[] row : cells) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (int i = 0; i < cells.size(); i++) {
            StringBuilder line = new StringBuilder();
            for (int j = 0; j < widths.length; j++) {
                line.append("  ").append(Strings.padEnd(cells.get(i)[j], widths[j], ' '));
            }
            text.append(line.toString().stripTrailing()).append('\n');
            if (i > 0) {
                Verdict.Row row = verdict.rows().get(i - 1);
                String indent = " ".repeat(widths[0] + 4);
                for (Trouble trouble : row.troubles()) {
                    String when = row.troubles().size() == 1
                            ? ""
                            : " (" + trouble.rule().versions() + ")";
                    String reason = trouble.reason().isEmpty() ? "" : trouble.reason() + ": ";
                    text.append(indent)
                            .append("kubelet")
                            .append(when)
                            .append(": ")
                            .append(reason)
                            .append(trouble.message())
                            .append('\n');
                }
                text.append(indent)
                        .append("remedy:  ")
                        .append(row.trouble().rule().remedy())
                        .append('\n');
            }
        }
    }

    static String word(Stage stage) {
        return switch (stage) {
            case DECODE, VALIDATE, REFER -> "not loaded";
            case ADMIT -> "rejected";
            case START -> "never starts";
            case CRASH -> "crashes kubelet";
            case MIRROR -> "not shown";
            case RISK -> "to know";
        };
    }

    private static void obstacles(Verdict verdict, StringBuilder text) {
        for (Finding obstacle : verdict.obstacles()) {
            String word = obstacle.action().stopsThePod() ? "cannot be checkpointed" : "to know";
            int line = verdict.document().line(obstacle.path());
            text.append("  ")
                    .append(line == 0 ? "" : "line " + line + "  ")
                    .append(obstacle.path())
                    .append("  ")
                    .append(word)
                    .append(": ")
                    .append(obstacle.reason())
                    .append('\n');
        }
    }
}
