package dev.kip.controller.explain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.explain.Account.Fact;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Inventory;
import dev.kip.controller.inventory.Row.Whose;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.launch.NeedsReader;
import dev.kip.controller.ownership.Provenance;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.kube.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Accounts for pods, Cells and instances. Pure. */
public final class Explainer {

    private static final int EVENTS = 6;

    private final Holdings holdings;
    private final ControllerSettings settings;
    private final Closer closer;
    private final Outlook outlook;

    public Explainer(Holdings holdings, ControllerSettings settings, Closer closer) {
        this.holdings = holdings;
        this.settings = settings;
        this.closer = closer;
        this.outlook = new Outlook(holdings, settings);
    }

    public Account of(Subject.OfPod subject) {
        ObjectNode pod = subject.pod();
        ImmutableList.Builder<Fact> facts = ImmutableList.builder();
        facts.add(new Fact("state", stateOf(pod)));
        String node = pod.path("spec").path("nodeName").asString("");
        facts.add(new Fact("node", node.isEmpty() ? "none yet" : node));
        Optional<Cell> cell =
                holdings.cellOfPod(pod.path("metadata").path("uid").asString(""));
        facts.add(new Fact("cell", cell.map(Explainer::describe).orElse("none")));
        Optional<InstanceFacts> instance =
                cell.flatMap(found -> holdings.instance(found.status().instanceID()));
        facts.addAll(factsOf(cell, instance));
        closer.catalogue()
                .ifPresent(catalogue -> facts.addAll(
                        new Choices(closer.everything()).of(NeedsReader.read(pod), catalogue, settings.launch())));
        return new Account(
                "pod",
                Holdings.refOf(pod).toString(),
                facts.build(),
                instance.map(this::proof).orElse(ImmutableList.of()),
                outlook.ofPod(pod, cell, instance),
                events());
    }

    public Account of(Subject.OfCell subject) {
        Cell cell = subject.cell();
        CellStatus status = cell.status();
        Optional<InstanceFacts> instance = holdings.instance(status.instanceID());
        ImmutableList.Builder<Fact> facts = ImmutableList.builder();
        facts.add(new Fact("cell", describe(cell)));
        facts.add(new Fact("pod", podOf(status)));
        facts.add(new Fact("node", status.node()));
        facts.addAll(factsOf(Optional.of(cell), instance));
        return new Account(
                "cell",
                cell.metadata().name(),
                facts.build(),
                instance.map(this::proof).orElse(ImmutableList.of()),
                outlook.ofCell(cell, instance),
                events());
    }

    public Account of(Subject.OfInstance subject) {
        InstanceFacts instance = subject.instance();
        Optional<Cell> cell = holdings.cellOfInstance(instance.id());
        ImmutableList.Builder<Fact> facts = ImmutableList.builder();
        facts.addAll(factsOf(cell, Optional.of(instance)));
        facts.add(new Fact("cell", cell.map(Explainer::describe).orElse("none binds it")));
        cell.ifPresent(found -> facts.add(new Fact("pod", podOf(found.status()))));
        return new Account(
                "instance",
                instance.id(),
                facts.build(),
                proof(instance),
                outlook.ofInstance(instance, cell),
                events());
    }

    private ImmutableList<Account.Check> proof(InstanceFacts instance) {
        return Proof.of(holdings, closer, instance, settings.launch().region());
    }

    private ImmutableList<Fact> factsOf(Optional<Cell> cell, Optional<InstanceFacts> instance) {
        ImmutableList.Builder<Fact> facts = ImmutableList.builder();
        if (instance.isPresent()) {
            facts.add(new Fact("instance", describe(instance.get())));
            facts.add(new Fact("owner", owner(instance.get(), cell)));
        } else if (cell.isPresent()) {
            String id = cell.get().status().instanceID();
            facts.add(new Fact(
                    "instance",
                    id.isEmpty()
                            ? "the Cell names none"
                            : id
                                    + (holdings.lacks(Holdings.Source.CLOUD)
                                            ? ": EC2 could not be asked"
                                            : ": EC2 does not know it")));
            facts.add(new Fact("owner", "controller id " + cell.get().status().controllerID() + ", as the Cell says"));
        }
        return facts.build();
    }

    private String owner(InstanceFacts instance, Optional<Cell> cell) {
        Provenance provenance = holdings.provenanceOf(instance);
        if (instance.state().ended() && provenance.kind() == Provenance.Kind.NOBODY && cell.isPresent()) {
            return "controller id " + cell.get().status().controllerID()
                    + ", as the Cell says; EC2 shows no tags of it any more";
        }
        Whose whose = Inventory.of(holdings, provenance);
        switch (whose) {
            case OURS:
                return "ours: Installation " + holdings.installationName() + ", controller id "
                        + holdings.installationId();
            case UNCHECKED:
                return "says that it is ours, which cannot be checked: " + provenance.because();
            case SUSPECT:
                return "nobody by proof: it " + provenance.because();
            case FOREIGN:
                return "another installation, controller id " + provenance.installationId() + otherName(provenance);
            case LEGACY:
                return "the original Kip, controller id " + provenance.installationId() + ", which signed nothing";
            default:
                return "nobody that we know of: it " + provenance.because();
        }
    }

    private String otherName(Provenance provenance) {
        return holdings.others().stream()
                .filter(found -> found.spec().installationID().equals(provenance.installationId()))
                .findFirst()
                .map(found -> ": Installation " + found.metadata().name() + " of this cluster")
                .orElse("");
    }

    private String describe(InstanceFacts instance) {
        Optional<Double> price = Optional.ofNullable(holdings.prices().get(instance.type()));
        boolean spot = instance.market() == Market.SPOT;
        String cost = instance.state().ended()
                ? ""
                : price.map(usd -> ", " + (spot ? "at most " : "") + Texts.usd(usd) + " an hour")
                        .orElse("");
        return instance.id() + ": "
                + instance.state().name().toLowerCase(Locale.ROOT).replace('_', '-') + ", "
                + instance.type() + (spot ? " spot" : " on demand") + " in " + instance.zone() + ", launched "
                + ago(instance.launchTime()) + cost
                + (instance.stateReason().isEmpty() ? "" : " (" + instance.stateReason() + ")");
    }

    private static String describe(Cell cell) {
        CellStatus status = cell.status();
        return cell.metadata().name()
                + (Holdings.isLegacy(cell)
                        ? ", of an instance of the original Kip"
                        : ", attempt " + status.attempt() + ", bound in epoch " + status.epoch());
    }

    private String podOf(CellStatus status) {
        ObjectRef ref = new ObjectRef(status.podNamespace(), status.podName());
        if (status.podName().isEmpty()) {
            return "the Cell names none";
        }
        if (holdings.lacks(Holdings.Source.PODS)) {
            return ref.toString();
        }
        Optional<ObjectNode> same = holdings.pod(status.podUID());
        if (same.isPresent()) {
            return ref + ": " + stateOf(same.get());
        }
        return ref
                + (holdings.pod(ref).isPresent() && !status.podUID().isEmpty()
                        ? ": gone; another pod has its name now"
                        : ": gone");
    }

    private String stateOf(ObjectNode pod) {
        JsonNode metadata = pod.path("metadata");
        String phase = pod.path("status").path("phase").asString("Pending");
        String reason = pod.path("status").path("reason").asString("");
        String text = phase
                + (reason.isEmpty() ? "" : " (" + reason + ")")
                + time(metadata.path("creationTimestamp").asString(""))
                        .map(created -> ", created " + ago(created))
                        .orElse("");
        return metadata.hasNonNull("deletionTimestamp")
                ? text
                        + time(metadata.path("deletionTimestamp").asString(""))
                                .map(end -> end.isAfter(holdings.now())
                                        ? ", being deleted: it has " + Texts.age(Duration.between(holdings.now(), end))
                                                + " left"
                                        : ", being deleted: its time was over " + ago(end))
                                .orElse(", being deleted")
                : text;
    }

    private String ago(Instant then) {
        return Texts.age(Duration.between(then, holdings.now())) + " ago";
    }

    static Optional<Instant> time(String text) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private ImmutableList<String> events() {
        ImmutableList<ObjectNode> sorted = ImmutableList.sortedCopyOf(
                Comparator.comparing(event -> event.path("lastTimestamp").asString("")), closer.events());
        return sorted.subList(Math.max(0, sorted.size() - EVENTS), sorted.size()).stream()
                .map(this::text)
                .collect(ImmutableList.toImmutableList());
    }

    private String text(ObjectNode event) {
        return time(event.path("lastTimestamp").asString("")).map(this::ago).orElse("?") + "  "
                + event.path("reason").asString("") + ": "
                + event.path("message").asString("");
    }
}
