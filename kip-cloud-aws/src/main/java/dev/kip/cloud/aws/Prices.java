package dev.kip.cloud.aws;

import com.google.common.base.Splitter;
import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Table;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * On-demand list prices of one region: from a dated table in this module whose head names its source, or from a file that
 * {@code kip prices refresh} has written. EC2 itself says what a type has, but not what it costs.
 */
final class Prices {

    /** Names a file with rows like the table's; the regions that it has replace the table's. */
    static final String FILE = "KIP_ON_DEMAND_PRICES";

    private static final String COMMON_REGION = "us-east-1";
    private static final Splitter CELLS = Splitter.on(',').trimResults();

    private final String region;
    private final ImmutableMap<String, Double> hourlyUsd;

    private Prices(String region, ImmutableMap<String, Double> hourlyUsd) {
        this.region = region;
        this.hourlyUsd = hourlyUsd;
    }

    /**
     * The prices of {@code region}, or of us-east-1 if there are none: types compare alike everywhere.
     *
     * @throws IllegalArgumentException naming the file and line, what was wanted and what was found
     */
    static Prices in(String region, Optional<Path> file) {
        Table<String, String, Double> table = HashBasedTable.create();
        try {
            add(
                    table,
                    Resources.readLines(
                            Resources.getResource(Prices.class, "on-demand-prices.csv"), StandardCharsets.UTF_8),
                    "on-demand-prices.csv");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (file.isPresent()) {
            Table<String, String, Double> own = HashBasedTable.create();
            try {
                add(own, Files.readAllLines(file.get(), StandardCharsets.UTF_8), FILE + ": " + file.get());
            } catch (IOException e) {
                throw new IllegalArgumentException(FILE + ": \"" + file.get() + "\" cannot be read: " + e, e);
            }
            own.rowKeySet().forEach(known -> table.row(known).clear());
            table.putAll(own);
        }
        String priced = table.containsRow(region) ? region : COMMON_REGION;
        return new Prices(priced, ImmutableMap.copyOf(table.row(priced)));
    }

    /** Where these prices are asked. */
    String region() {
        return region;
    }

    /** On-demand USD per hour; empty for a type that the table lacks. */
    Optional<Double> hourlyUsd(String type) {
        return Optional.ofNullable(hourlyUsd.get(type));
    }

    private static void add(Table<String, String, Double> table, List<String> lines, String name) {
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!line.startsWith("#") && !line.isBlank()) {
                List<String> cells = CELLS.splitToList(line);
                Optional<Double> price = cells.size() == 3 ? number(cells.get(2)) : Optional.empty();
                if (price.isEmpty()) {
                    throw new IllegalArgumentException(
                            name + ":" + (i + 1) + ": wanted region,type,hourlyUsd, found \"" + line + "\"");
                }
                table.put(cells.get(0), cells.get(1), price.get());
            }
        }
    }

    private static Optional<Double> number(String text) {
        try {
            return Optional.of(Double.valueOf(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
