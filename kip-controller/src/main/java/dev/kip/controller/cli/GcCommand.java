package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.gc.Collector;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.Gap;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.inventory.Inventory;
import dev.kip.controller.inventory.Row;
import dev.kip.controller.inventory.Row.Whose;
import dev.kip.controller.inventory.Texts;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "gc",
        description = {
            "Ends what an installation has left behind and nobody looks after any more. Without --yes it only shows what"
                    + " it would end, what it would not, and what all that costs.",
            "",
            "It ends instances that are proven to belong to the installation, that no Cell and no open LaunchBatch claims,"
                    + " and that every gate of the controller lets through: so it takes as long as the cloud may take to"
                    + " show a launch (cloud.aws.consistencyWindow). While it works it holds the installation's Leases"
                    + " and its anchor, so that no controller begins meanwhile. Interrupt it at any time; run it again.",
            "",
            "An installation that lives is left alone: its own controller collects. If that one has stopped because too"
                    + " much would go at once, --yes tells it to go on.",
            "",
            "Cloud credentials are enough if ownership.anchor is configured: the keys are there. Without an answer from"
                    + " the installation's own cluster it cannot be known which pods live: --cluster-gone says that none"
                    + " does, and then launch templates, security groups and the anchor's objects go too.",
            "",
            "Instances of the original Kip are signed by nobody: --legacy names the controller id whose instances are to"
                    + " end, all of them. See that its controller does not run any more."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:nothing is left that could be ended, or it was shown (no --yes)",
            "1:something is left, or it was refused: which, and why, was told",
            "2:wrong usage or configuration"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip gc --config provider.yaml",
            "  kip gc --yes",
            "  kip gc --config provider.yaml --installation jave65rnuuccattflbw3syhzse --cluster-gone --yes",
            "  kip gc --legacy 9b9b1c7e --yes"
        })
final class GcCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--installation",
            paramLabel = "ID",
            description =
                    "Whose leftovers. Without it, those of this cluster's installation, or of the one that the anchor"
                            + " knows by its name.")
    private @Nullable String installation;

    @Option(
            names = "--cluster-gone",
            description = "The installation's cluster does not exist any more, and none of its pods.")
    private boolean clusterGone;

    @Option(
            names = "--legacy",
            paramLabel = "ID",
            description = "Ends the instances of the original Kip with this controller id instead.")
    private @Nullable String legacy;

    @Option(names = "--yes", description = "Ends them.")
    private boolean yes;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private TableFormat output = TableFormat.table;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (Session session = Session.open(connection, spec.commandLine().getErr())) {
            Gathering gathering = new Gathering(session)
                    .cluster()
                    .instances(Gathering.Reach.TAGGED)
                    .prices();
            Holdings holdings = gathering.holdings();
            if (legacy != null) {
                return new LegacySweep(session, holdings, out, output).run(legacy, yes);
            }
            Owner owner = Owner.find(session, holdings, Optional.ofNullable(installation));
            refuseWithoutCluster(owner, holdings);
            Sweeping sweeping = new Sweeping(session, gathering, owner, clusterGone && !owner.cluster(), out, output);
            if (!yes) {
                return sweeping.show();
            }
            if (owner.living().isPresent()) {
                return tellToGoOn(session, owner, out);
            }
            return sweeping.run();
        }
    }

    private void refuseWithoutCluster(Owner owner, Holdings holdings) {
        if (owner.cluster() && clusterGone) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "--cluster-gone: the cluster of installation "
                            + owner.standing().installationId() + " answers. To take all of it down: kip drain");
        }
        boolean answers = !holdings.lacks(Source.INSTALLATION);
        if (!owner.cluster() && !clusterGone && (yes || answers)) {
            String why = holdings.gaps().stream()
                    .map(Gap::text)
                    .findFirst()
                    .orElse(
                            "the cluster that answers is another one, to which its Installation was copied or not at all");
            throw new CliFailure(
                    CliFailure.FAILED,
                    "the cluster of installation " + owner.standing().installationId()
                            + " cannot be read, so which of its pods live is not known: " + why
                            + ". Name it by --kubeconfig; or, if it does not exist any more, say so with --cluster-gone.");
        }
    }

    /** Its own controller collects; whether it has stopped is its to know. */
    private static int tellToGoOn(Session session, Owner owner, PrintWriter out) {
        String living = owner.living().orElse("");
        if (owner.record().isEmpty()) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "installation " + owner.standing().installationId() + " lives: " + living
                            + ". Nothing was ended: its own controller collects.");
        }
        String name = session.config().controller().installation();
        String now = session.now().toString();
        Records.change(session, name, found -> Records.annotated(found, Collector.APPROVED, now));
        out.println(
                "Installation " + name + " lives: " + living + ". Nothing was ended by this command. Its controller was"
                        + " told to go on if it had stopped collecting; what it ends: kip audit");
        out.flush();
        return 0;
    }

    /** What is not ended whatever is said, with its price. */
    static String others(Holdings holdings, String installationId) {
        StringBuilder text = new StringBuilder();
        ImmutableList<Row> rows = Inventory.of(holdings);
        for (Whose whose : ImmutableList.of(Whose.SUSPECT, Whose.FOREIGN, Whose.LEGACY, Whose.NOBODY)) {
            ImmutableList<Row> some = rows.stream()
                    .filter(row -> row.whose() == whose && row.costs())
                    .filter(row -> !row.installationId().equals(installationId))
                    .collect(ImmutableList.toImmutableList());
            if (!some.isEmpty()) {
                text.append("Left alone, ")
                        .append(whose.word())
                        .append(": ")
                        .append(Texts.count(some.size(), "instance"))
                        .append(" for ")
                        .append(Texts.hourlyAndMonthly(Inventory.hourlyUsd(some)))
                        .append(". See: kip cells --")
                        .append(whose.word())
                        .append('\n');
            }
        }
        return text.toString();
    }

    /** Fields that every instance has in JSON. */
    static ObjectNode priced(ObjectNode node, Holdings holdings, String type) {
        Optional.ofNullable(holdings.prices().get(type)).ifPresent(usd -> node.put("hourlyUSD", usd));
        return node;
    }
}
