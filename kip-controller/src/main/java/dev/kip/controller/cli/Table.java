package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;

/** Columns as kubectl prints them: as wide as their widest value, three blanks between, nothing cut off. */
final class Table {

    private static final String GAP = "   ";
    private static final String NOTHING = "-";

    private final ImmutableList<String> heads;
    private final List<ImmutableList<String>> rows = new ArrayList<>();

    Table(String... heads) {
        this.heads = ImmutableList.copyOf(heads);
    }

    /** One value for each head; an empty one is shown as a dash. */
    void add(String... values) {
        if (values.length != heads.size()) {
            throw new IllegalArgumentException(heads.size() + " columns, " + values.length + " values");
        }
        ImmutableList.Builder<String> row = ImmutableList.builder();
        for (String value : values) {
            row.add(value.isEmpty() ? NOTHING : value);
        }
        rows.add(row.build());
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** With a line feed after each line. The last column is left out if it says nothing. */
    String text() {
        int columns = heads.size();
        if (rows.stream().allMatch(row -> row.get(heads.size() - 1).equals(NOTHING))) {
            columns--;
        }
        int[] widths = new int[columns];
        for (int i = 0; i < columns; i++) {
            int column = i;
            widths[i] = Math.max(
                    heads.get(i).length(),
                    rows.stream()
                            .mapToInt(row -> row.get(column).length())
                            .max()
                            .orElse(0));
        }
        StringBuilder text = new StringBuilder();
        append(text, heads, widths);
        rows.forEach(row -> append(text, row, widths));
        return text.toString();
    }

    private static void append(StringBuilder text, ImmutableList<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i));
            if (i < widths.length - 1) {
                line.append(" ".repeat(widths[i] - row.get(i).length())).append(GAP);
            }
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
