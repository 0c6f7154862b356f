package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Inventory;
import dev.kip.controller.inventory.Row;
import dev.kip.controller.inventory.Texts;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec.Shard;
import dev.kip.yaml.Suggestion;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "drain",
        description = {
            "Takes an installation down: its pods are ended with their grace, then its instances, launch templates, security"
                    + " group, Cells, LaunchBatches, node and anchor, and the Installation itself last. Nothing is left."
                    + " Without --yes it only shows what would go.",
            "",
            "The controller that leads does it; if none does, this process takes the lease and does it itself. Progress is"
                    + " told until all is gone. Interrupt it at any time: a controller goes on, and so does the next"
                    + " kip drain. Pods of Deployments are made again by their controllers, elsewhere or Pending.",
            "",
            "To call it off while it is under way: kubectl patch installation NAME --type=merge -p"
                    + " '{\"spec\":{\"draining\":false}}'. What has ended has ended."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:nothing is left, or it was shown (no --yes)",
            "1:it could not be done: why was told",
            "2:wrong usage or configuration"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip drain --config provider.yaml",
            "  kip drain --config provider.yaml --yes",
            "  kip drain --node virtual-kubelet-b --yes"
        })
final class DrainCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description = "Only this virtual node of the installation; what the nodes share stays.")
    private @Nullable String node;

    @Option(names = "--yes", description = "Does it.")
    private boolean yes;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (Session session = Session.open(connection, spec.commandLine().getErr())) {
            String name = session.config().controller().installation();
            Optional<Installation> record = Records.read(session, name);
            if (record.isEmpty()) {
                out.println(
                        "There is no Installation " + name + others(session)
                                + ": nothing is left to drain. What an installation that lost its record has left shows: kip gc");
                out.flush();
                return 0;
            }
            checkNode(record.get());
            if (!yes) {
                show(session, out, record.get());
            } else {
                new Draining(session, name, Optional.ofNullable(node)).run();
                out.println(
                        node == null
                                ? "Installation " + name + " is drained: nothing of it is left."
                                : "Virtual node " + node + " is drained: nothing of it is left.");
            }
            out.flush();
            return 0;
        }
    }

    /** A name that is not meant is not to look like work that is done. */
    private static String others(Session session) {
        ImmutableList<String> names = new Gathering(session)
                .cluster().holdings().others().stream()
                        .map(found -> found.metadata().name())
                        .collect(ImmutableList.toImmutableList());
        return names.isEmpty()
                ? ""
                : " (there is " + String.join(", ", names) + ": installation: in provider.yaml says which is meant)";
    }

    private void checkNode(Installation record) {
        ImmutableList<String> nodes =
                record.spec().shards().stream().map(Shard::node).collect(ImmutableList.toImmutableList());
        if (node != null && !nodes.contains(node)) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    node + ": Installation " + record.metadata().name() + " has no such virtual node."
                            + Suggestion.didYouMean(node, nodes) + " It has: " + String.join(", ", nodes));
        }
    }

    private void show(Session session, PrintWriter out, Installation record) {
        Holdings holdings = new Gathering(session)
                .cluster()
                .instances(Gathering.Reach.TAGGED)
                .prices()
                .holdings();
        ImmutableList<Row> rows = Inventory.of(holdings).stream()
                .filter(row -> row.whose() == Row.Whose.OURS
                        && (node == null || row.node().equals(node)))
                .collect(ImmutableList.toImmutableList());
        rows.forEach(row -> out.println(
                "  " + (row.pod().isEmpty() ? "no pod" : row.pod()) + "  " + row.instanceId() + "  " + row.state()));
        out.println("Installation " + record.metadata().name() + ", controller id "
                + record.spec().installationID() + ": " + Texts.count(rows.size(), "cell") + " on "
                + (node == null ? Texts.count(record.spec().shards().size(), "virtual node") : "virtual node " + node)
                + " would end: " + Texts.hourlyAndMonthly(Inventory.hourlyUsd(rows)) + " saved.");
        holdings.leases().stream()
                .filter(lease -> node == null || lease.node().equals(node))
                .forEach(lease -> out.println(
                        lease.held(holdings.now())
                                ? lease.holder() + " leads for node " + lease.node() + " and would do it."
                                : "Nobody leads for node " + lease.node() + ": this process would do it."));
        out.println("To do it: kip drain " + (node == null ? "" : "--node " + node + " ") + "--yes");
    }
}
