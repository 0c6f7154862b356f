package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.inventory.Holdings;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "adopt",
        description = {
            "Takes over what another has left, by an explicit word. Without --yes it only shows what it would take over.",
            "",
            "--installation ID: an installation whose cluster does not exist any more. Its anchor is told that it belongs to"
                    + " this cluster now; the controller that starts here next goes on under its id, asks every instance"
                    + " what it runs, and ends what runs for nobody. Refused while anybody acts for it, and if this"
                    + " cluster has an installation of its own: end that one with kip drain first.",
            "",
            "--legacy ID: instances of the original Kip, by its controller id. They are written down as Cells of this"
                    + " installation, so that they are seen (kubectl get cells, kip cells --legacy) and nobody forgets"
                    + " them. Their agents speak the original's language: they run on as they are, get no new pods,"
                    + " and nothing ends them but kip gc --legacy ID --yes."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, or shown (no --yes)",
            "1:it could not be done: why, and what to do, was told",
            "2:wrong usage or configuration"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip adopt --installation jave65rnuuccattflbw3syhzse --config provider.yaml",
            "  kip adopt --installation jave65rnuuccattflbw3syhzse --config provider.yaml --yes",
            "  kip adopt --legacy 9b9b1c7e --yes"
        })
final class AdoptCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @ArgGroup(multiplicity = "1")
    private What what = new What();

    /** One of them. */
    static final class What {

        @Option(
                names = "--installation",
                paramLabel = "ID",
                description = "Controller id of the installation to take over.")
        private String installation = "";

        @Option(names = "--legacy", paramLabel = "ID", description = "Controller id of the original Kip.")
        private String legacy = "";
    }

    @Option(names = "--yes", description = "Takes it over.")
    private boolean yes;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (Session session = Session.open(connection, spec.commandLine().getErr())) {
            Gathering gathering = new Gathering(session)
                    .cluster()
                    .instances(Gathering.Reach.TAGGED)
                    .prices();
            Holdings holdings = gathering.holdings();
            ImmutableList<String> lines = what.legacy.isEmpty()
                    ? new Rejoin(session, holdings, what.installation).run(yes)
                    : new LegacyAdoption(session, holdings, what.legacy).run(yes);
            lines.forEach(out::println);
            out.flush();
            return 0;
        }
    }
}
