package dev.kip.real;

import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What became of each case, as a table in Markdown. */
final class KillTable {
    private final Map<Integer, Call> calls = new TreeMap<>();
    private final Map<Integer, EnumMap<Death, String>> results = new TreeMap<>();

    void call(int k, Call call) {
        calls.put(k, call);
    }

    void passed(int k, Death death, long nanos) {
        record(k, death, "%.1f s".formatted(nanos / 1e9));
    }

    void failed(int k, Death death) {
        record(k, death, "FAILED");
    }

    private void record(int k, Death death, String result) {
        results.computeIfAbsent(k, key -> new EnumMap<>(Death.class)).put(death, result);
    }

    void write(Path file) throws IOException {
        StringBuilder table = new StringBuilder("| k | call of the story without a kill |");
        StringBuilder rule = new StringBuilder("|---|---|");
        for (Death death : Death.values()) {
            table.append(' ').append(death.name().toLowerCase(Locale.ROOT)).append(" |");
            rule.append("---|");
        }
        table.append('\n').append(rule).append('\n');
        calls.forEach((k, call) -> {
            table.append("| ").append(k).append(" | ").append(call).append(" |");
            for (Death death : Death.values()) {
                table.append(' ')
                        .append(results.getOrDefault(k, new EnumMap<>(Death.class))
                                .getOrDefault(death, ""))
                        .append(" |");
            }
            table.append('\n');
        });
        Files.createDirectories(file.getParent());
        Files.writeString(file, table);
    }
}
