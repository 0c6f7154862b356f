package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Texts;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.ObjectMetadata;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.PatchType;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes instances of the original Kip down as Cells of this installation. Such a Cell names no pod's uid: the controller
 * decides nothing by it, and garbage collection takes the instance for claimed.
 */
final class LegacyAdoption {

    /** On the Cell: the controller id of the original. */
    static final String LABEL = "kip.elotl.co/legacy";

    private final Session session;
    private final Holdings holdings;
    private final String id;
    private final ControllerSettings settings;

    LegacyAdoption(Session session, Holdings holdings, String id) {
        this.session = session;
        this.holdings = holdings;
        this.id = id;
        this.settings = session.config().controller();
    }

    /** What was done, or would be. */
    ImmutableList<String> run(boolean yes) {
        if (holdings.installation().isEmpty()) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "there is no Installation " + settings.installation()
                            + " that could own them: start a controller first, or name the right one by installation: in"
                            + " provider.yaml.");
        }
        List<String> lines = new ArrayList<>();
        for (InstanceFacts instance : LegacySweep.find(holdings, id)) {
            lines.add(instance.id() + "  " + instance.type() + "  "
                    + Texts.age(Duration.between(instance.launchTime(), holdings.now()))
                    + Optional.ofNullable(holdings.prices().get(instance.type()))
                            .map(usd -> "  " + Texts.usd(usd) + " an hour")
                            .orElse("")
                    + "  " + (yes ? adopt(instance) : would(instance)));
        }
        lines.add(
                yes
                        ? "They are seen by kubectl get cells, and nothing ends them but: kip gc --legacy " + id
                                + " --yes"
                        : "To write them down as Cells: kip adopt --legacy " + id + " --yes");
        return ImmutableList.copyOf(lines);
    }

    private String would(InstanceFacts instance) {
        Optional<Cell> cell = holdings.cellOfInstance(instance.id());
        return cell.map(found -> isAdopted(found)
                        ? "is Cell " + found.metadata().name() + " already"
                        : "has Cell " + found.metadata().name() + " of the original, which would be ours")
                .orElse("would be Cell " + nameOf(instance));
    }

    private String adopt(InstanceFacts instance) {
        Optional<Cell> cell = holdings.cellOfInstance(instance.id());
        if (cell.filter(this::isAdopted).isPresent()) {
            return "is Cell " + cell.get().metadata().name() + " already";
        }
        String name = cell.map(found -> found.metadata().name()).orElseGet(() -> nameOf(instance));
        Outcome<Cell, KubeError> answer = session.ask(
                "a Cell",
                () -> cell.isPresent()
                        ? session.kube().patch(CrdKinds.CELLS, ObjectRef.cluster(name), "", PatchType.MERGE, claim())
                        : session.kube().create(CrdKinds.CELLS, "", cell(name, instance)));
        if (answer.error()
                .filter(error -> !(error instanceof KubeError.AlreadyExists))
                .isPresent()) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "Cell " + name + " could not be written: "
                            + answer.error().get().message() + ". Those before it are adopted; run it again.");
        }
        return "is Cell " + name;
    }

    /** A Cell of the original keeps all that it says, and changes its owner. */
    private ObjectNode claim() {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.withObject("/metadata").withObject("/labels").put(LABEL, labelValue(id));
        patch.putObject("status").put("controllerID", holdings.installationId());
        return patch;
    }

    private boolean isAdopted(Cell cell) {
        return cell.metadata().labels().containsKey(LABEL) && holdings.isOurs(cell);
    }

    private Cell cell(String name, InstanceFacts instance) {
        ObjectMetadata plain = ObjectMetadata.named(name);
        ObjectMetadata labelled = new ObjectMetadata(
                plain.name(),
                plain.uid(),
                plain.resourceVersion(),
                plain.deletionTimestamp(),
                ImmutableMap.of(LABEL, labelValue(id)),
                plain.annotations(),
                plain.finalizers());
        return new Cell(
                labelled,
                new CellStatus(
                        "",
                        "",
                        "",
                        holdings.installationId(),
                        instance.market() == Market.SPOT ? "Spot" : "On-Demand",
                        instance.type(),
                        instance.id(),
                        instance.privateIp().orElse(""),
                        "",
                        0,
                        0,
                        "",
                        ""));
    }

    private static String nameOf(InstanceFacts instance) {
        return "legacy-" + instance.id();
    }

    /** What may not be in a label's value is left out: the value is for people. */
    private static String labelValue(String text) {
        String plain = text.replaceAll("[^A-Za-z0-9._-]", "-").replaceAll("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "");
        return plain.substring(0, Math.min(plain.length(), 63));
    }
}
