package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.Gap;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.inventory.Inventory;
import dev.kip.controller.inventory.Row;
import dev.kip.controller.inventory.Row.Whose;
import dev.kip.controller.inventory.Texts;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "cells",
        description = {
            "Lists Cells and instances side by side: what runs where, since when, at which price, and whose it is.",
            "Without a choice it lists what is ours in this cluster: what is proven, and what could not be checked."
                    + " Changes nothing. Prices are list prices on demand, of the instance alone: no volume, no traffic."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all was read",
            "1:something could not be read: what is shown is not all, and what is missing was told",
            "2:wrong usage or configuration"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip cells",
            "  kip cells --foreign --suspect",
            "  kip cells --legacy --config provider.yaml --kubeconfig ~/.kube/config",
            "  kip cells --all -o json | jq '.cells[] | select(.whose != \"ours\")'"
        })
final class CellsCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--legacy",
            description =
                    "Instances and Cells of the original Kip (kip.elotl.co/v1beta1): signed by nobody, never ended"
                            + " by themselves.")
    private boolean legacy;

    @Option(names = "--foreign", description = "What carries the id of another installation.")
    private boolean foreign;

    @Option(
            names = "--suspect",
            description =
                    "What looks like ours while a part of the proof is missing: copied or edited tags. Never ended.")
    private boolean suspect;

    @Option(
            names = "--nobody",
            description = "Instances of the account and region that carry no id of any Kip; they are nothing to us.")
    private boolean nobody;

    @Option(names = "--all", description = "All of that, and ours.")
    private boolean all;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private TableFormat output = TableFormat.table;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        Holdings holdings;
        try (Session session = Session.open(connection, err)) {
            holdings = new Gathering(session)
                    .cluster()
                    .instances(all || nobody ? Gathering.Reach.EVERYTHING : Gathering.Reach.TAGGED)
                    .prices()
                    .holdings();
        }
        ImmutableList<Row> rows = Inventory.of(holdings);
        ImmutableList<Row> chosen = Inventory.only(rows, chosen());
        PrintWriter out = spec.commandLine().getOut();
        out.print(output == TableFormat.json ? json(holdings, chosen) : table(holdings, rows, chosen));
        out.flush();
        holdings.gaps().stream().map(Gap::text).forEach(err::println);
        err.flush();
        return holdings.gaps().isEmpty() ? 0 : CliFailure.FAILED;
    }

    private ImmutableSet<Whose> chosen() {
        if (all) {
            return ImmutableSet.copyOf(Whose.values());
        }
        Set<Whose> chosen = new LinkedHashSet<>();
        add(chosen, legacy, Whose.LEGACY);
        add(chosen, foreign, Whose.FOREIGN);
        add(chosen, suspect, Whose.SUSPECT);
        add(chosen, nobody, Whose.NOBODY);
        return chosen.isEmpty() ? ImmutableSet.of(Whose.OURS, Whose.UNCHECKED) : ImmutableSet.copyOf(chosen);
    }

    private static void add(Set<Whose> chosen, boolean asked, Whose whose) {
        if (asked) {
            chosen.add(whose);
        }
    }

    private static String table(Holdings holdings, ImmutableList<Row> rows, ImmutableList<Row> chosen) {
        Table table = new Table("POD", "NODE", "INSTANCE", "TYPE", "STATE", "AGE", "$/HOUR", "WHOSE", "NOTE");
        for (Row row : chosen) {
            table.add(
                    row.pod(),
                    row.node(),
                    row.instanceId(),
                    row.type(),
                    row.state(),
                    row.age().map(Texts::age).orElse(""),
                    row.hourlyUsd()
                            .map(usd -> (row.spot() ? "<" : "") + Texts.usd(usd).substring(1))
                            .orElse(""),
                    row.whose() == Whose.FOREIGN || row.whose() == Whose.LEGACY
                            ? row.whose().word() + " " + row.installationId()
                            : row.whose().word(),
                    row.note());
        }
        String title = chosen.isEmpty() ? nothing(holdings) : table.text();
        return title + "\n" + String.join("\n", summary(holdings, rows, chosen)) + "\n";
    }

    /** An empty list says that nothing is there; it must not, where it was not looked. */
    private static String nothing(Holdings holdings) {
        return holdings.lacks(Source.CLOUD) || holdings.lacks(Source.CELLS)
                ? "Nothing can be shown. That does not mean that nothing runs: what could not be read is told below.\n"
                : "No such instance, and no such Cell.\n";
    }

    private static List<String> summary(Holdings holdings, ImmutableList<Row> rows, ImmutableList<Row> chosen) {
        List<String> lines = new ArrayList<>();
        lines.add(holdings.installation()
                .map(found -> "Installation " + holdings.installationName() + ", controller id "
                        + found.spec().installationID() + ", epoch "
                        + found.spec().epoch() + ".")
                .orElse(
                        holdings.lacks(Source.INSTALLATION)
                                ? "Installation " + holdings.installationName()
                                        + " could not be read: what is ours cannot be told."
                                : "No Installation " + holdings.installationName()
                                        + " in this cluster: nothing can be told to be ours."));
        if (!chosen.isEmpty()) {
            lines.add(price(chosen) + ".");
        }
        ImmutableSet<Row> shown = ImmutableSet.copyOf(chosen);
        String rest = Arrays.stream(Whose.values())
                .filter(whose -> whose != Whose.NOBODY)
                .map(whose -> rest(rows, shown, whose))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        if (!rest.isEmpty()) {
            lines.add("Not shown: " + rest + ". See them with: kip cells --all");
        }
        return lines;
    }

    private static String rest(ImmutableList<Row> rows, ImmutableSet<Row> shown, Whose whose) {
        ImmutableList<Row> rest = rows.stream()
                .filter(row -> row.whose() == whose && !shown.contains(row))
                .collect(ImmutableList.toImmutableList());
        return rest.isEmpty() ? "" : whose.word() + ": " + price(rest);
    }

    private static String price(ImmutableList<Row> rows) {
        long unpriced = rows.stream()
                .filter(row ->
                        !row.costs() && row.age().isPresent() && !row.state().equals("terminated"))
                .count();
        return Texts.count(rows.size(), "instance") + " for "
                + Texts.hourlyAndMonthly(Inventory.hourlyUsd(rows))
                + (unpriced == 0 ? "" : ", " + unpriced + " of unknown price not counted");
    }

    private static String json(Holdings holdings, ImmutableList<Row> rows) {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        document.put("installation", holdings.installationName());
        document.put("installationID", holdings.installationId());
        document.put("hourlyUSD", Inventory.hourlyUsd(rows));
        ArrayNode list = document.putArray("cells");
        for (Row row : rows) {
            ObjectNode node = list.addObject()
                    .put("whose", row.whose().word())
                    .put("installationID", row.installationId())
                    .put("cell", row.cell())
                    .put("pod", row.pod())
                    .put("node", row.node())
                    .put("instanceID", row.instanceId())
                    .put("instanceType", row.type())
                    .put("state", row.state())
                    .put("spot", row.spot())
                    .put("proof", row.proof())
                    .put("note", row.note());
            row.age().ifPresent(age -> node.put("ageSeconds", age.toSeconds()));
            row.hourlyUsd().ifPresent(usd -> node.put("hourlyUSD", usd));
        }
        ArrayNode gaps = document.putArray("notRead");
        holdings.gaps().stream().map(Gap::text).forEach(gaps::add);
        return document.toPrettyString() + "\n";
    }
}
