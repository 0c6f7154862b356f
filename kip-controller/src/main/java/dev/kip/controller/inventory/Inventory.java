package dev.kip.controller.inventory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.inventory.Row.Whose;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Provenance;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.LaunchBatch;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** Cells and instances side by side. Pure. */
public final class Inventory {

    private static final Comparator<Row> ORDER = Comparator.comparing(Row::whose)
            .thenComparing(Row::node)
            .thenComparing(row -> row.pod().isEmpty())
            .thenComparing(Row::pod)
            .thenComparing(Row::instanceId)
            .thenComparing(Row::cell);

    private Inventory() {}

    /** Every Cell, and every instance that no Cell binds and that has not ended; ours first. */
    public static ImmutableList<Row> of(Holdings holdings) {
        ImmutableList.Builder<Row> rows = ImmutableList.builder();
        Set<String> bound = new LinkedHashSet<>();
        for (Cell cell : holdings.cells()) {
            bound.add(cell.status().instanceID());
            rows.add(row(
                    holdings, Optional.of(cell), holdings.instance(cell.status().instanceID())));
        }
        for (InstanceFacts instance : holdings.instances()) {
            if (!bound.contains(instance.id()) && !instance.state().ended()) {
                rows.add(row(holdings, Optional.empty(), Optional.of(instance)));
            }
        }
        return ImmutableList.sortedCopyOf(ORDER, rows.build());
    }

    /** Those that are {@code whose}. */
    public static ImmutableList<Row> only(ImmutableList<Row> rows, ImmutableSet<Whose> whose) {
        return rows.stream().filter(row -> whose.contains(row.whose())).collect(ImmutableList.toImmutableList());
    }

    /** What {@code rows} cost in USD an hour, as far as prices are known. */
    public static double hourlyUsd(ImmutableList<Row> rows) {
        return rows.stream()
                .flatMap(row -> row.hourlyUsd().stream())
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    private static Row row(Holdings holdings, Optional<Cell> cell, Optional<InstanceFacts> instance) {
        Optional<CellStatus> status = cell.map(Cell::status);
        Optional<Provenance> provenance = instance.map(holdings::provenanceOf);
        boolean lives = instance.isPresent() && !instance.get().state().ended();
        String type = instance.map(InstanceFacts::type)
                .or(() -> status.map(CellStatus::instanceType))
                .orElse("");
        return new Row(
                whose(holdings, cell, provenance),
                provenance
                        .map(Provenance::installationId)
                        .filter(id -> !id.isEmpty())
                        .or(() -> status.map(CellStatus::controllerID))
                        .orElse(""),
                cell.map(found -> found.metadata().name()).orElse(""),
                status.filter(found -> !found.podName().isEmpty())
                        .map(found -> found.podNamespace() + "/" + found.podName())
                        .orElse(""),
                status.map(CellStatus::node)
                        .filter(node -> !node.isEmpty())
                        .or(() -> instance.map(found -> found.tags().getOrDefault(Tags.NODE, "")))
                        .orElse(""),
                instance.map(InstanceFacts::id)
                        .or(() -> status.map(CellStatus::instanceID))
                        .orElse(""),
                type,
                state(holdings, instance),
                instance.map(found -> age(holdings, found)),
                lives ? Optional.ofNullable(holdings.prices().get(type)) : Optional.empty(),
                instance.map(found -> found.market() == Market.SPOT).orElse(false),
                provenance.map(Provenance::because).orElse(""),
                note(holdings, cell, instance, provenance));
    }

    private static Whose whose(Holdings holdings, Optional<Cell> cell, Optional<Provenance> provenance) {
        if (provenance.isPresent() && !(provenance.get().kind() == Provenance.Kind.NOBODY && ended(holdings, cell))) {
            return of(holdings, provenance.get());
        }
        if (cell.isEmpty()) {
            return Whose.NOBODY;
        }
        if (holdings.isOurs(cell.get())) {
            return Whose.UNCHECKED;
        }
        return Holdings.isLegacy(cell.get()) ? Whose.LEGACY : another(holdings);
    }

    /** What carries an id that is not ours; while it is not known which is ours, it may be. */
    private static Whose another(Holdings holdings) {
        return holdings.installation().isEmpty() && holdings.lacks(Source.INSTALLATION)
                ? Whose.UNCHECKED
                : Whose.FOREIGN;
    }

    /** An instance that has ended loses its tags: what its Cell says is all that there is. */
    private static boolean ended(Holdings holdings, Optional<Cell> cell) {
        return cell.flatMap(found -> holdings.instance(found.status().instanceID()))
                .filter(instance -> instance.state().ended())
                .isPresent();
    }

    /** Without keys, what carries our id is neither proven nor suspect. */
    public static Whose of(Holdings holdings, Provenance provenance) {
        switch (provenance.kind()) {
            case OURS_PROVEN:
                return Whose.OURS;
            case SUSPECT:
                return holdings.standing().isEmpty() ? Whose.UNCHECKED : Whose.SUSPECT;
            case FOREIGN:
                return another(holdings);
            case LEGACY:
                return Whose.LEGACY;
            default:
                return Whose.NOBODY;
        }
    }

    private static String state(Holdings holdings, Optional<InstanceFacts> instance) {
        return instance.map(
                        found -> found.state().name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .orElse(holdings.lacks(Source.CLOUD) ? "unknown" : "gone");
    }

    private static Duration age(Holdings holdings, InstanceFacts instance) {
        Duration age = Duration.between(instance.launchTime(), holdings.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    private static String note(
            Holdings holdings, Optional<Cell> cell, Optional<InstanceFacts> instance, Optional<Provenance> provenance) {
        if (provenance.isPresent() && of(holdings, provenance.get()) == Whose.SUSPECT) {
            return provenance.get().because();
        }
        if (cell.isEmpty()) {
            return instance.filter(
                            found -> provenance.isPresent() && provenance.get().proven())
                    .map(found -> unbound(holdings, found))
                    .orElse("");
        }
        CellStatus status = cell.get().status();
        if (instance.isEmpty() && !holdings.lacks(Source.CLOUD)) {
            return status.instanceID().isEmpty() ? "the Cell names no instance" : "EC2 does not know the instance";
        }
        if (holdings.isOurs(cell.get()) && Holdings.isLegacy(cell.get())) {
            return "adopted from the original: only kip gc --legacy ends it";
        }
        if (holdings.isOurs(cell.get())
                && !instance.map(InstanceFacts::clientToken).orElse("").isEmpty()
                && !status.clientToken().isEmpty()
                && !status.clientToken().equals(instance.get().clientToken())) {
            return "the Cell names another client token than EC2: it was edited";
        }
        if (holdings.lacks(Source.PODS) || !holdings.isOurs(cell.get())) {
            return "";
        }
        Optional<ObjectNode> pod = holdings.pod(status.podUID());
        if (pod.isEmpty()) {
            return "its pod is gone: it is being ended";
        }
        String phase = pod.get().path("status").path("phase").asString("Pending");
        if (pod.get().path("metadata").hasNonNull("deletionTimestamp")) {
            return "its pod is being deleted";
        }
        return phase.equals("Running") ? "" : "its pod is " + phase;
    }

    private static String unbound(Holdings holdings, InstanceFacts instance) {
        String batch = instance.tags().getOrDefault(Tags.BATCH, "");
        Optional<LaunchBatch> open = holdings.batches().stream()
                .filter(found -> found.metadata().name().equals(batch))
                .findFirst();
        Optional<String> pool = open.flatMap(found -> found.spec().warmPool());
        if (pool.isPresent()) {
            return "kept for a pod that is yet to come: warm pool " + pool.get();
        }
        if (open.isPresent()) {
            return "its launch is not settled yet: LaunchBatch " + batch;
        }
        return instance.tags().containsKey(Tags.CANDIDATE)
                ? "no Cell binds it: marked to be ended since "
                        + instance.tags().get(Tags.CANDIDATE)
                : "no Cell binds it: garbage collection looks at it";
    }
}
