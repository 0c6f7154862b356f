package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.ListPrice;
import dev.kip.cloud.CloudApi.ListPricePage;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes a region's rows of a price table anew, from the price list that AWS publishes. */
@Command(
        name = "refresh",
        description = {
            "Writes a region's on-demand prices (Linux, shared tenancy) into a table, as AWS's Price List API tells them.",
            "Rows of other regions stay. Needs the right pricing:GetProducts; changes nothing in AWS.",
            "A controller whose environment has KIP_ON_DEMAND_PRICES=FILE takes its prices from there."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:written", "1:the prices could not be read or written", "2:wrong usage or configuration"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip prices refresh --file prices.csv",
            "  kip prices refresh --region eu-central-1 --file prices.csv"
        })
final class PricesRefreshCommand implements Callable<Integer> {

    private static final int MOST_PAGES = 500;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Option(names = "--region", paramLabel = "REGION", description = "Default: cloud.aws.region of the configuration.")
    private Optional<String> region = Optional.empty();

    @Option(names = "--file", required = true, paramLabel = "FILE", description = "The table; made if it is not there.")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        String wanted;
        List<ListPrice> prices = new ArrayList<>();
        try (Session session = Session.open(connection, spec.commandLine().getErr())) {
            wanted = region.orElse(session.config().controller().launch().region());
            String token = "";
            int pages = 0;
            do {
                String page = token;
                Outcome<ListPricePage, CloudError> answer = session.ask(
                        "the prices of " + wanted, () -> session.cloud().listPrices(wanted, page));
                answer.error().ifPresent(error -> {
                    throw new CliFailure(CliFailure.FAILED, "the price list cannot be read: " + error.message());
                });
                answer.value().ifPresent(found -> prices.addAll(found.prices()));
                token = answer.value().map(ListPricePage::nextToken).orElse("");
                pages++;
            } while (!token.isEmpty() && pages < MOST_PAGES);
            if (prices.isEmpty()) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "the price list has nothing for region \"" + wanted + "\"; nothing is written");
            }
            write(wanted, prices, session.now());
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(prices.size() + " prices of " + wanted + " written to " + file);
        out.flush();
        return 0;
    }

    private void write(String wanted, List<ListPrice> prices, Instant now) {
        try {
            String text = table(
                    Files.exists(file) ? Files.readAllLines(file, StandardCharsets.UTF_8) : List.of(),
                    wanted,
                    prices,
                    now);
            Path beside = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(beside, text);
            Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new CliFailure(CliFailure.FAILED, file + " cannot be written: " + e);
        }
    }

    /** The old table with the region's rows replaced; what its head says of other regions stays. */
    static String table(List<String> old, String region, List<ListPrice> prices, Instant now) {
        Instant published = prices.stream()
                .map(ListPrice::published)
                .max(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
        String mark = "# " + region + ": ";
        String columns = "# region,type,hourly";
        Map<String, BigDecimal> rows = new TreeMap<>();
        prices.forEach(price -> rows.put(price.type(), BigDecimal.valueOf(price.hourly())));
        String currency = prices.get(0).currency();
        ImmutableList.Builder<String> lines = ImmutableList.builder();
        old.stream()
                .filter(line -> line.startsWith("#") && !line.startsWith(mark) && !line.startsWith(columns))
                .forEach(lines::add);
        if (old.isEmpty()) {
            lines.add("# On-demand list prices: Linux, shared tenancy, per hour.");
        }
        lines.add(mark + "from AWS's Price List API (GetProducts) on " + now + ", list of " + published + ", in "
                + currency);
        lines.add(columns);
        old.stream()
                .filter(line -> !line.startsWith("#") && !line.isBlank() && !line.startsWith(region + ","))
                .forEach(lines::add);
        rows.forEach((type, hourly) -> lines.add(region + "," + type + "," + hourly.toPlainString()));
        return String.join("\n", lines.build()) + "\n";
    }
}
