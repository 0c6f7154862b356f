package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.wall.Matrix.Entry;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The page docs/reference/scenario-worlds.md, of what runs there were. */
public final class MatrixPage {

    private MatrixPage() {}

    /** @param scenarios in the order in which they are shown */
    public static String text(Matrix matrix, ImmutableList<String> scenarios, ImmutableList<WorldKind> worlds) {
        StringBuilder page = new StringBuilder("""
                # Scenarios and worlds

                What came of each scenario that ships in each [world](../simulator.md#worlds), from real runs: `./kip sim matrix --page`.
                A time is that of virtual time in the world simulated, of the clock in the others, the start of the world included. *partial* says that the world
                does not carry all of the story; those were not run, and why is told below. No entry: not run yet.

                """);
        page.append("Run ").append(runs(matrix)).append(".\n\n");
        page.append("| world | whole and passed | failed | partial |\n|---|---|---|---|\n");
        for (WorldKind world : worlds) {
            page.append(String.format(
                    Locale.ROOT,
                    "| %s | %d | %d | %d |%n",
                    world,
                    count(matrix, scenarios, world, "passed"),
                    count(matrix, scenarios, world, "failed"),
                    count(matrix, scenarios, world, "partial")));
        }
        for (String group : Library.groups()) {
            ImmutableList<String> of = scenarios.stream()
                    .filter(name -> Library.group(name).equals(group))
                    .collect(ImmutableList.toImmutableList());
            if (!of.isEmpty()) {
                page.append("\n## ").append(group).append("\n\n");
                table(page, matrix, of, worlds);
            }
        }
        page.append("\n## What is not carried\n\n");
        reasons(matrix)
                .forEach((why, names) -> page.append("* ")
                        .append(why)
                        .append(": ")
                        .append(String.join(", ", names))
                        .append('\n'));
        return page.toString();
    }

    private static String runs(Matrix matrix) {
        Set<String> runs = new TreeSet<>();
        matrix.all().values().forEach(entry -> runs.add("on " + entry.day() + " on " + entry.machine()));
        return runs.isEmpty() ? "never" : String.join("; ", runs);
    }

    private static long count(Matrix matrix, ImmutableList<String> scenarios, WorldKind world, String result) {
        return scenarios.stream()
                .filter(name -> matrix.find(name, world)
                        .map(entry -> entry.result().equals(result))
                        .orElse(false))
                .count();
    }

    private static void table(
            StringBuilder page, Matrix matrix, ImmutableList<String> scenarios, ImmutableList<WorldKind> worlds) {
        page.append("| scenario | ")
                .append(worlds.stream().map(WorldKind::word).collect(Collectors.joining(" | ")))
                .append(" |\n|---|")
                .append("---|".repeat(worlds.size()))
                .append('\n');
        for (String name : scenarios) {
            page.append("| `").append(name).append("` |");
            for (WorldKind world : worlds) {
                page.append(' ')
                        .append(matrix.find(name, world).map(MatrixPage::cell).orElse(""))
                        .append(" |");
            }
            page.append('\n');
        }
    }

    private static String cell(Entry entry) {
        return switch (entry.result()) {
            case "passed" -> String.format(Locale.ROOT, "passed, %.1f s", entry.millis() / 1000.0);
            case "partial" -> "*partial*";
            default -> "**FAILED**: " + String.join("; ", entry.problems()).replace("|", "\\|");
        };
    }

    private static Map<String, Set<String>> reasons(Matrix matrix) {
        Map<String, Set<String>> reasons = new TreeMap<>();
        for (Entry entry : matrix.all().values()) {
            for (String lack : entry.notCarried()) {
                String word = lack.substring(lack.indexOf(',') + 2);
                reasons.computeIfAbsent(word, any -> new TreeSet<>()).add("`" + entry.scenario() + "`");
            }
        }
        return reasons;
    }
}
