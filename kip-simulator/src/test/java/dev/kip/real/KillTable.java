package dev.kip.real;

import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What became of each case, as a table in Markdown; the file is whole after every case. */
final class KillTable {
    private final Path file;
    private final Map<Integer, Call> calls = new TreeMap<>();
    private final Map<Integer, EnumMap<Death, String>> results = new TreeMap<>();

    KillTable(Path file) {
        this.file = file;
    }

    void call(int k, Call call) {
        calls.put(k, call);
    }

    void passed(int k, Death death, long nanos) {
        record(k, death, "%.1f s".formatted(nanos / 1e9));
    }

    /** The story ended well with fewer calls this time. */
    void notReached(int k, Death death) {
        record(k, death, "not reached");
    }

    void failed(int k, Death death) {
        record(k, death, "FAILED");
    }

    private void record(int k, Death death, String result) {
        System.out.printf("real-parts: killed %s call %d, %s: %s%n", word(death), k, calls.get(k), result);
        results.computeIfAbsent(k, key -> new EnumMap<>(Death.class)).put(death, result);
        write();
    }

    private static String withoutRandomNames(Call call) {
        return call.toString().replaceAll("[ /](?:launch-|nginx-|[0-9a-f]{8}-)[^/ ]*", "");
    }

    private static String word(Death death) {
        return death.name().toLowerCase(Locale.ROOT);
    }

    private void write() {
        StringBuilder table = new StringBuilder("| k | call of the story without a kill |");
        StringBuilder rule = new StringBuilder("|---|---|");
        for (Death death : Death.values()) {
            table.append(' ').append(word(death)).append(" |");
            rule.append("---|");
        }
        table.append('\n').append(rule).append('\n');
        calls.forEach((k, call) -> {
            table.append("| ")
                    .append(k)
                    .append(" | ")
                    .append(withoutRandomNames(call))
                    .append(" |");
            for (Death death : Death.values()) {
                table.append(' ')
                        .append(results.getOrDefault(k, new EnumMap<>(Death.class))
                                .getOrDefault(death, ""))
                        .append(" |");
            }
            table.append('\n');
        });
        try {
            Files.writeString(file, table);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
