package dev.kip.checkpointer.lint;

import com.github.difflib.DiffUtils;
import com.github.difflib.patch.AbstractDelta;
import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.lint.TreeLines.Line;
import dev.kip.checkpointer.sanitise.Finding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** A pod against its checkpoint, line by line, and behind each block that changed why. */
final class ReasonedDiff {

    private static final int CONTEXT = 2;

    private final ImmutableList<Line> before;
    private final ImmutableList<Line> after;
    private final ImmutableList<Finding> findings;

    ReasonedDiff(ObjectNode original, ObjectNode checkpoint, ImmutableList<Finding> findings) {
        this.before = TreeLines.of(original);
        this.after = TreeLines.of(checkpoint);
        this.findings = findings;
    }

    /** A line of the diff. */
    record Shown(char sign, Line line, String reason) {
        @Override
        public String toString() {
            return sign + " " + line.text() + (reason.isEmpty() ? "" : "  # " + reason);
        }
    }

    /** Every line, also those that stayed, in order. A reason stands at the first line that it explains in a row. */
    ImmutableList<Shown> lines() {
        List<AbstractDelta<String>> deltas =
                DiffUtils.diff(texts(before), texts(after)).getDeltas();
        List<Shown> shown = new ArrayList<>();
        int at = 0;
        for (AbstractDelta<String> delta : deltas) {
            int start = delta.getSource().getPosition();
            same(at, start, shown);
            changed('-', before, start, delta.getSource().size(), shown);
            changed(
                    '+',
                    after,
                    delta.getTarget().getPosition(),
                    delta.getTarget().size(),
                    shown);
            at = start + delta.getSource().size();
        }
        same(at, before.size(), shown);
        return ImmutableList.copyOf(shown);
    }

    /** Only what changed, with two lines around it. */
    String text() {
        ImmutableList<Shown> all = lines();
        StringBuilder text = new StringBuilder(1024);
        int last = -1;
        for (int i = 0; i < all.size(); i++) {
            if (near(all, i)) {
                if (last >= 0 && i > last + 1) {
                    text.append("  ...\n");
                }
                text.append(all.get(i).toString().stripTrailing()).append('\n');
                last = i;
            }
        }
        return text.toString();
    }

    private static boolean near(List<Shown> all, int index) {
        int end = Math.min(all.size(), index + CONTEXT + 1);
        return all.subList(Math.max(0, index - CONTEXT), end).stream().anyMatch(shown -> shown.sign() != ' ');
    }

    private static ImmutableList<String> texts(ImmutableList<Line> lines) {
        return lines.stream().map(Line::text).collect(ImmutableList.toImmutableList());
    }

    private void same(int from, int to, List<Shown> shown) {
        before.subList(from, to).forEach(line -> shown.add(new Shown(' ', line, "")));
    }

    private void changed(char sign, ImmutableList<Line> lines, int from, int size, List<Shown> shown) {
        String last = "";
        for (Line line : lines.subList(from, from + size)) {
            String reason = reason(line.path()).map(Finding::reason).orElse("");
            shown.add(new Shown(sign, line, reason.equals(last) ? "" : reason));
            last = reason;
        }
    }

    /** The finding of the field itself, else of what it is in, else of what is in it. */
    Optional<Finding> reason(String path) {
        Optional<Finding> around = told().filter(finding -> within(path, finding.path()))
                .max(Comparator.comparingInt(finding -> finding.path().length()));
        return around.or(
                () -> told().filter(finding -> within(finding.path(), path)).findFirst());
    }

    private Stream<Finding> told() {
        return findings.stream().filter(finding -> finding.action() != Finding.Action.WARNED);
    }

    private static boolean within(String path, String outer) {
        return path.startsWith(outer)
                && (path.length() == outer.length() || ".[".indexOf(path.charAt(outer.length())) >= 0);
    }
}
