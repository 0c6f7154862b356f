package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.doctor.Finding;
import dev.kip.controller.doctor.Finding.Level;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "doctor",
        description = {
            "Looks whether all that Kip needs is there, and says how to mend what is not: rights in the cluster and in AWS,"
                    + " definitions, leader, node, versions, clocks, subnets, image, quota, anchor, DaemonSets on the"
                    + " virtual node.",
            "Changes nothing, but for one small object in the anchor's store, which it removes again."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no error was found; there may be warnings",
            "1:an error was found; with --strict a warning, or something that could not be looked at, counts too",
            "2:wrong usage or configuration"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip doctor --config provider.yaml",
            "  kip doctor --as kip/kip --strict",
            "  kip doctor -o json | jq '.findings[] | select(.level != \"ok\")'",
            "",
            "Keep kube-proxy and its like off the virtual node:",
            "  kip doctor -o json | jq -r '.findings[] | select(.area == \"daemonsets\") | .remedy' | sh"
        })
final class DoctorCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--as",
            paramLabel = "NAMESPACE/NAME",
            description =
                    "Whose rights in the cluster to look at: the controller's ServiceAccount. Without it, your own.")
    private @Nullable String account;

    @Option(names = "--strict", description = "Ends with 1 for a warning too.")
    private boolean strict;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private TableFormat output = TableFormat.table;

    @Override
    public Integer call() {
        if (account != null && account.indexOf('/') <= 0) {
            throw new CliFailure(
                    CliFailure.CONFIGURATION,
                    "--as: \"" + account
                            + "\" is no ServiceAccount such as kip/kip: its namespace, a slash, its name.");
        }
        ImmutableList<Finding> findings;
        try (Session session = Session.open(connection, spec.commandLine().getErr())) {
            ImmutableList.Builder<Finding> all = ImmutableList.builder();
            ClusterExamination cluster = new ClusterExamination(session);
            all.addAll(cluster.run(account == null ? "" : account));
            all.addAll(new CloudExamination(session, cluster.holdings()).run());
            all.addAll(new AnchorExamination(session, cluster.holdings().holdings()).run());
            findings = all.build();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(output == TableFormat.json ? json(findings) : text(findings));
        out.flush();
        Level worst =
                findings.stream().map(Finding::level).max(Level::compareTo).orElse(Level.OK);
        return worst == Level.ERROR || (strict && worst != Level.OK) ? CliFailure.FAILED : 0;
    }

    private static String text(ImmutableList<Finding> findings) {
        StringBuilder text = new StringBuilder();
        for (Finding finding : findings) {
            text.append(String.format(
                    Locale.ROOT, "%-8s %-11s %s%n", word(finding.level()), finding.area(), finding.text()));
            if (!finding.remedy().isEmpty()) {
                text.append(" ".repeat(21))
                        .append("-> ")
                        .append(finding.remedy())
                        .append('\n');
            }
        }
        text.append('\n');
        text.append(ImmutableList.of(Level.ERROR, Level.WARNING, Level.UNKNOWN, Level.OK).stream()
                .map(level -> counted(
                        level,
                        findings.stream()
                                .filter(finding -> finding.level() == level)
                                .count()))
                .collect(Collectors.joining(", ")));
        return text.append('\n').toString();
    }

    private static String counted(Level level, long count) {
        String word = level.name().toLowerCase(Locale.ROOT);
        boolean isCountable = level == Level.ERROR || level == Level.WARNING;
        return count + " " + word + (isCountable && count != 1 ? "s" : "");
    }

    private static String word(Level level) {
        return level == Level.ERROR ? "ERROR" : level.name().toLowerCase(Locale.ROOT);
    }

    private static String json(ImmutableList<Finding> findings) {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        ArrayNode list = document.putArray("findings");
        findings.forEach(finding -> list.addObject()
                .put("level", finding.level().name().toLowerCase(Locale.ROOT))
                .put("area", finding.area())
                .put("text", finding.text())
                .put("remedy", finding.remedy()));
        return document.toPrettyString() + "\n";
    }
}
