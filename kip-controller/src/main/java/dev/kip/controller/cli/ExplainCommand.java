package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.controller.explain.Account;
import dev.kip.controller.explain.Account.Verdict;
import dev.kip.controller.explain.Closer;
import dev.kip.controller.explain.Explainer;
import dev.kip.controller.explain.Subject;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.Gap;
import dev.kip.controller.launch.Tags;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "explain",
        description = {
            "Tells in plain words whose a pod's cell is, by which proof, what happens to it next, and why.",
            "Changes nothing."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it was explained, from all that there is to read",
            "1:there is no such thing, or something could not be read: what is missing was told",
            "2:wrong usage or configuration"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip explain nginx-7959db9694-f2gnb",
            "  kip explain kube-system/kube-proxy-x7k2p",
            "  kip explain nginx-7959db9694-f2gnb --all",
            "  kip explain i-0818ee7df6e02247b -o json"
        })
final class ExplainCommand implements Callable<Integer> {

    private static final Pattern INSTANCE = Pattern.compile("i-[0-9a-f]{8,17}");
    private static final int LABEL = 10;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Parameters(
            paramLabel = "NAME",
            description = "A pod as name or namespace/name, a Cell by its name, or an instance by its id.")
    private String name = "";

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private OutputFormat output = OutputFormat.text;

    @Option(names = "--all", description = "Every instance type, market and zone, however many there are.")
    private boolean all;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        Holdings holdings;
        Account account;
        try (Session session = Session.open(connection, err)) {
            Gathering gathering = new Gathering(session).cluster();
            if (INSTANCE.matcher(name).matches()) {
                gathering.instance(name);
            } else {
                gathering.podsNamed(name.substring(name.indexOf('/') + 1));
            }
            gathering.instances(Gathering.Reach.TAGGED).prices();
            holdings = gathering.holdings();
            Subject subject = Subject.of(holdings, name);
            if (subject instanceof Subject.Unclear unclear) {
                holdings.gaps().stream().map(Gap::text).forEach(err::println);
                throw new CliFailure(CliFailure.FAILED, unclear.message());
            }
            account = account(session, gathering, holdings, subject);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(output == OutputFormat.json ? json(account) : text(account));
        out.flush();
        holdings.gaps().stream().map(Gap::text).forEach(err::println);
        err.flush();
        return holdings.gaps().isEmpty() ? 0 : CliFailure.FAILED;
    }

    private Account account(Session session, Gathering gathering, Holdings holdings, Subject subject) {
        Optional<ImmutableList<TemplateFacts>> templates =
                holdings.installationId().isEmpty()
                        ? Optional.empty()
                        : gathering.templates(ImmutableMap.of(Tags.INSTALLATION, holdings.installationId()));
        if (subject instanceof Subject.OfPod pod) {
            Closer closer = new Closer(
                    templates,
                    gathering.eventsOf(pod.pod().path("metadata").path("uid").asString("")),
                    gathering.catalogue(),
                    all);
            return new Explainer(holdings, session.config().controller(), closer).of(pod);
        }
        if (subject instanceof Subject.OfCell cell) {
            Closer closer = new Closer(
                    templates, gathering.eventsOf(cell.cell().status().podUID()), Optional.empty(), all);
            return new Explainer(holdings, session.config().controller(), closer).of(cell);
        }
        if (subject instanceof Subject.OfInstance instance) {
            Closer closer = new Closer(
                    templates,
                    holdings.cellOfInstance(instance.instance().id())
                            .map(cell -> gathering.eventsOf(cell.status().podUID()))
                            .orElse(ImmutableList.of()),
                    Optional.empty(),
                    all);
            return new Explainer(holdings, session.config().controller(), closer).of(instance);
        }
        throw new IllegalStateException("nothing to account for: " + subject);
    }

    private static String text(Account account) {
        StringBuilder text = new StringBuilder();
        text.append(account.kind()).append(' ').append(account.name()).append('\n');
        account.facts().forEach(fact -> append(text, fact.label(), fact.text()));
        String label = "proof";
        for (Account.Check check : account.proof()) {
            append(text, label, word(check.verdict()) + check.text());
            label = "";
        }
        label = "next";
        for (String next : account.next()) {
            append(text, label, next);
            label = "";
        }
        label = "events";
        for (String event : account.events()) {
            append(text, label, event);
            label = "";
        }
        return text.toString();
    }

    private static String word(Verdict verdict) {
        switch (verdict) {
            case YES:
                return "yes  ";
            case NO:
                return "NO   ";
            default:
                return "?    ";
        }
    }

    private static void append(StringBuilder text, String label, String line) {
        text.append("  ")
                .append(label)
                .append(" ".repeat(Math.max(1, LABEL - label.length())))
                .append(line)
                .append('\n');
    }

    private static String json(Account account) {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        document.put("kind", account.kind());
        document.put("name", account.name());
        ObjectNode facts = document.putObject("facts");
        account.facts().forEach(fact -> facts.put(fact.label(), fact.text()));
        ArrayNode proof = document.putArray("proof");
        account.proof()
                .forEach(check -> proof.addObject()
                        .put("holds", check.verdict().name().toLowerCase(Locale.ROOT))
                        .put("text", check.text()));
        ArrayNode next = document.putArray("next");
        account.next().forEach(next::add);
        ArrayNode events = document.putArray("events");
        account.events().forEach(events::add);
        return document.toPrettyString() + "\n";
    }
}
