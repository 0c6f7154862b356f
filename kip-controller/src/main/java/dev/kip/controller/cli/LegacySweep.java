package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstancePage;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudError;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Provenance;
import dev.kip.crd.Cell;
import dev.kip.crd.CrdKinds;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.outcome.Outcome;
import dev.kip.yaml.Suggestion;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows or ends the instances of one controller of the original Kip. Nothing proves them: an operator has named the id. */
final class LegacySweep {

    private static final Logger AUDIT = LoggerFactory.getLogger("dev.kip.audit");

    private final Session session;
    private final Holdings holdings;
    private final PrintWriter out;
    private final TableFormat output;

    LegacySweep(Session session, Holdings holdings, PrintWriter out, TableFormat output) {
        this.session = session;
        this.holdings = holdings;
        this.out = out;
        this.output = output;
    }

    /** Those that live, with this controller id and nothing that a later Kip writes. */
    static ImmutableList<InstanceFacts> find(Holdings holdings, String id) {
        ImmutableList<InstanceFacts> legacy = holdings.instances().stream()
                .filter(instance -> !instance.state().ended()
                        && holdings.provenanceOf(instance).kind() == Provenance.Kind.LEGACY)
                .collect(ImmutableList.toImmutableList());
        ImmutableList<InstanceFacts> named = legacy.stream()
                .filter(instance -> id.equals(instance.tags().get(Tags.INSTALLATION)))
                .collect(ImmutableList.toImmutableList());
        if (named.isEmpty()) {
            ImmutableList<String> ids = legacy.stream()
                    .map(instance -> instance.tags().getOrDefault(Tags.INSTALLATION, ""))
                    .distinct()
                    .sorted()
                    .collect(ImmutableList.toImmutableList());
            throw new CliFailure(
                    CliFailure.FAILED,
                    id + ": no living instance of the original Kip has this controller id."
                            + Suggestion.didYouMean(id, ids)
                            + (ids.isEmpty() ? " There is none of any id." : " There are: " + String.join(", ", ids)));
        }
        return named;
    }

    int run(String id, boolean yes) {
        ImmutableList<InstanceFacts> all = find(holdings, id);
        int left = 0;
        Table table = new Table("INSTANCE", "NAME", "TYPE", "AGE", "$/HOUR", "FATE");
        ArrayNode list = JsonMapper.shared().createArrayNode();
        for (InstanceFacts instance : all) {
            String fate = yes ? end(id, instance) : "would end";
            left += fate.equals("ended") || !yes ? 0 : 1;
            Optional<Double> price = Optional.ofNullable(holdings.prices().get(instance.type()));
            Duration age = Duration.between(instance.launchTime(), holdings.now());
            table.add(
                    instance.id(),
                    instance.tags().getOrDefault(Tags.NAME, ""),
                    instance.type(),
                    Texts.age(age),
                    price.map(usd -> Texts.usd(usd).substring(1)).orElse(""),
                    fate);
            ObjectNode node = list.addObject()
                    .put("instanceID", instance.id())
                    .put("instanceType", instance.type())
                    .put("ageSeconds", age.toSeconds())
                    .put("fate", fate);
            GcCommand.priced(node, holdings, instance.type());
        }
        if (output == TableFormat.json) {
            out.println(JsonMapper.shared()
                    .createObjectNode()
                    .put("legacy", id)
                    .set("instances", list)
                    .toPrettyString());
        } else {
            out.print(table.text());
            out.println();
            out.println(
                    yes
                            ? all.size() - left + " of " + Texts.count(all.size(), "instance") + " ended."
                            : Texts.count(all.size(), "instance")
                                    + " of the original Kip would be ended, whatever they run."
                                    + " See that its controller does not run any more; then: kip gc --legacy " + id
                                    + " --yes");
        }
        out.flush();
        return left == 0 ? 0 : CliFailure.FAILED;
    }

    private String end(String id, InstanceFacts instance) {
        Outcome<InstancePage, CloudError> again = session.ask(
                "instance " + instance.id(),
                () -> session.cloud().describe(InstanceQuery.ofIds(ImmutableList.of(instance.id()))));
        boolean same = again.value().stream()
                .flatMap(page -> page.instances().stream())
                .anyMatch(found -> holdings.provenanceOf(found).kind() == Provenance.Kind.LEGACY
                        && id.equals(found.tags().get(Tags.INSTALLATION)));
        if (!same) {
            return "left: a last look did not show it as before";
        }
        AUDIT.info("{}", record("InstanceTerminating", id, instance));
        Outcome<ImmutableMap<String, InstanceState>, CloudError> answer = session.ask(
                "instance " + instance.id(), () -> session.cloud().terminate(ImmutableList.of(instance.id())));
        if (answer.error().isPresent()) {
            return "left: " + answer.error().get().message();
        }
        AUDIT.info("{}", record("InstanceTerminated", id, instance));
        for (Cell cell : holdings.cells()) {
            if (cell.status().instanceID().equals(instance.id())) {
                session.ask(
                        "Cell " + cell.metadata().name(),
                        () -> session.kube()
                                .delete(
                                        CrdKinds.CELLS,
                                        ObjectRef.cluster(cell.metadata().name()),
                                        DeleteQuery.of(cell.metadata().uid())));
            }
        }
        return "ended";
    }

    private ObjectNode record(String event, String id, InstanceFacts instance) {
        return JsonMapper.shared()
                .createObjectNode()
                .put("event", event)
                .put("instance", instance.id())
                .put("type", instance.type())
                .put("launched", instance.launchTime().toString())
                .put("node", "")
                .put("epoch", "")
                .put("proof", "is of the original Kip, controller id " + id + ", named by an operator")
                .put("unclaimedSeconds", 0)
                .put("agent", "not asked");
    }
}
