package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.audit.AuditRecord;
import dev.kip.controller.audit.AuditTrail;
import dev.kip.kube.KubeError;
import dev.kip.kube.Page;
import dev.kip.outcome.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "audit",
        description = {
            "Lists which instances garbage collection has ended, when, by which proof, and what their agents had said.",
            "Reads the events on the Installation, which the API server keeps for about an hour; or the controller's log,"
                    + " which is kept as long as you keep it (logger dev.kip.audit)."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:what there is was listed, be it nothing",
            "1:it could not be read",
            "2:wrong usage or configuration"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip audit",
            "  kip audit --all -o json",
            "  kubectl -n kip logs deploy/kip | kip audit --log -",
            "  kip audit --log /var/log/kip.json --instance i-0818ee7df6e02247b"
        })
final class AuditCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Reads this log instead of events; - is standard input.")
    private @Nullable String log;

    @Option(names = "--instance", paramLabel = "ID", description = "Only what is about this instance.")
    private @Nullable String instance;

    @Option(
            names = "--all",
            description = "What else was said of the Installation too: takeovers, garbage collection that stopped.")
    private boolean all;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private TableFormat output = TableFormat.table;

    @Override
    public Integer call() {
        ImmutableList<AuditRecord> records = (log == null ? fromEvents() : AuditTrail.ofLog(lines(log)))
                .stream()
                        .filter(record -> instance == null || record.instance().equals(instance))
                        .collect(ImmutableList.toImmutableList());
        PrintWriter out = spec.commandLine().getOut();
        out.print(output == TableFormat.json ? json(records) : table(records, log == null));
        out.flush();
        return 0;
    }

    private ImmutableList<AuditRecord> fromEvents() {
        try (Session session = Session.open(connection, spec.commandLine().getErr())) {
            String installation = session.config().controller().installation();
            Outcome<Page<ObjectNode>, KubeError> answer = new Gathering(session).eventsOnInstallation(installation);
            if (answer.error().isPresent()) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "the events on Installation " + installation + " cannot be read: "
                                + answer.error().get().message() + ". A log can be read instead: kip audit --log FILE");
            }
            return AuditTrail.ofEvents(answer.value().orElseThrow().items(), all);
        }
    }

    private static ImmutableList<String> lines(String file) {
        try {
            if (file.equals("-")) {
                return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                        .lines()
                        .collect(ImmutableList.toImmutableList());
            }
            return ImmutableList.copyOf(Files.readAllLines(Path.of(file)));
        } catch (NoSuchFileException e) {
            throw new CliFailure(CliFailure.FAILED, file + ": there is no such file.");
        } catch (IOException e) {
            throw new CliFailure(CliFailure.FAILED, file + ": cannot be read: " + e.getMessage());
        }
    }

    private static String table(ImmutableList<AuditRecord> records, boolean isOfEvents) {
        if (records.isEmpty()) {
            return isOfEvents
                    ? "Nothing is recorded in the events, which are kept for about an hour. Older: kip audit --log FILE\n"
                    : "Nothing is recorded in this log.\n";
        }
        Table table = new Table("TIME", "EVENT", "INSTANCE", "BY", "WHY");
        records.forEach(record -> table.add(
                record.time()
                        .map(time -> time.truncatedTo(ChronoUnit.SECONDS).toString())
                        .orElse(""),
                record.event(),
                record.instance(),
                record.by(),
                record.text()));
        return table.text();
    }

    private static String json(ImmutableList<AuditRecord> records) {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        ArrayNode list = document.putArray("records");
        for (AuditRecord record : records) {
            ObjectNode node = JsonNodeFactory.instance.objectNode();
            record.time().ifPresent(time -> node.put("time", time.toString()));
            list.add(node.put("event", record.event())
                    .put("instanceID", record.instance())
                    .put("by", record.by())
                    .put("text", record.text()));
        }
        return document.toPrettyString() + "\n";
    }
}
