package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstancePage;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.OfferingPage;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.cloud.CloudApi.TemplatePage;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.Gap;
import dev.kip.controller.inventory.Holdings.LeaseFacts;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.launch.Catalogue;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Standing;
import dev.kip.crd.Cell;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.LaunchBatch;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads what {@link Holdings} holds, each part at most once. What cannot be read is a gap, not the end: half a picture is
 * better than none at 3 a.m.
 */
final class Gathering {

    private static final int PAGE = 500;

    /** Which instances to ask EC2 for. */
    enum Reach {
        /** Those that carry a tag of Kip, be it of another installation or of the original. */
        TAGGED,
        /** All of the account and region. */
        EVERYTHING
    }

    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> SECRETS = Kinds.SECRETS.as(Codecs.tree());
    private static final ResourceKind<Cell> ORIGINAL_CELLS =
            new ResourceKind<>(CrdKinds.GROUP, "v1beta1", "Cell", "cells", false, CrdKinds.CELLS.codec());

    private final Session session;
    private final ControllerSettings settings;
    private final Map<String, InstanceFacts> instances = new LinkedHashMap<>();
    private final Map<ObjectRef, ObjectNode> pods = new LinkedHashMap<>();
    private final Set<Gap> gaps = new LinkedHashSet<>();
    private final List<Offering> offerings = new ArrayList<>();
    private final List<LeaseFacts> leases = new ArrayList<>();
    private ImmutableList<Installation> installations = ImmutableList.of();
    private Optional<InstallationKeys> keys = Optional.empty();
    private ImmutableList<Cell> cells = ImmutableList.of();
    private ImmutableList<LaunchBatch> batches = ImmutableList.of();

    Gathering(Session session) {
        this.session = session;
        this.settings = session.config().controller();
    }

    /** What the cluster says: who we are, Cells, journal, the pods and leases of our nodes. */
    Gathering cluster() {
        installations = all(CrdKinds.INSTALLATIONS, ListQuery.ALL, Source.INSTALLATION, "whose anything is");
        keys = readKeys();
        cells = readCells();
        batches = all(CrdKinds.LAUNCH_BATCHES, ListQuery.ALL, Source.JOURNAL, "launches that are not settled");
        for (String node : nodes()) {
            all(PODS, ListQuery.ALL.fields("spec.nodeName=" + node), Source.PODS, "pods of node " + node)
                    .forEach(this::add);
            readLease(node);
        }
        return this;
    }

    /** Pods of this name, in any namespace or on any node. */
    Gathering podsNamed(String name) {
        all(PODS, ListQuery.ALL.fields("metadata.name=" + name), Source.PODS, "pods named " + name)
                .forEach(this::add);
        return this;
    }

    /** Instances by tag, and those that Cells name and no tag found. */
    Gathering instances(Reach reach) {
        if (reach == Reach.EVERYTHING) {
            describe(token -> InstanceQuery.ofTags(ImmutableMap.of(), token));
        } else {
            describe(token -> InstanceQuery.ofTagKey(Tags.INSTALLATION, token));
            describe(token -> InstanceQuery.ofTagKey(Tags.MAC, token));
        }
        for (Cell cell : cells) {
            String id = cell.status().instanceID();
            if (!id.isEmpty() && !instances.containsKey(id)) {
                instance(id);
            }
        }
        return this;
    }

    /** This one, whatever it carries. */
    Gathering instance(String id) {
        if (instances.containsKey(id)) {
            return this;
        }
        Outcome<InstancePage, CloudError> answer = session.ask(
                "instance " + id, () -> session.cloud().describe(InstanceQuery.ofIds(ImmutableList.of(id))));
        answer.on(page -> page.instances().forEach(this::add), error -> {
            boolean isUnknown = error instanceof CloudError.NotFound || error instanceof CloudError.Refused;
            if (!isUnknown) {
                gap(Source.CLOUD, "instance " + id + " could not be asked for: " + error.message());
            }
        });
        return this;
    }

    /** What is offered, and at which price. */
    Gathering prices() {
        if (offerings.isEmpty()) {
            offerings.addAll(pages(
                    "prices",
                    token -> session.cloud().offerings(token),
                    OfferingPage::offerings,
                    OfferingPage::nextToken));
        }
        return this;
    }

    /** What a launch would choose from, of what {@link #prices} has read; empty if some of it cannot be had. */
    Optional<Catalogue> catalogue() {
        LaunchSettings launch = settings.launch();
        Outcome<ImmutableList<ImageFacts>, CloudError> images =
                session.ask("images", () -> session.cloud().images(launch.imageSpec()));
        Outcome<ImmutableList<SubnetFacts>, CloudError> subnets =
                session.ask("subnets", () -> session.cloud().subnets(launch.vpcId(), launch.subnetId()));
        images.error()
                .or(subnets::error)
                .ifPresent(
                        error -> gap(Source.OTHER, "the types that the pod may get are not shown: " + error.message()));
        if (offerings.isEmpty() || images.value().isEmpty() || subnets.value().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                Catalogue.of(offerings, images.value().get(), subnets.value().get(), ImmutableList.of(), places()));
    }

    private Catalogue.Places places() {
        ImmutableSetMultimap.Builder<String, String> zones = ImmutableSetMultimap.builder();
        pages(
                        "zones of the types",
                        token -> session.cloud().zones(token),
                        CloudApi.ZonePage::types,
                        CloudApi.ZonePage::nextToken)
                .forEach(place -> zones.put(place.type(), place.zone()));
        Map<Catalogue.Pool, Double> spot = new LinkedHashMap<>();
        Instant now = session.now();
        pages(
                        "spot prices",
                        token -> session.cloud().spotPrices(now, token),
                        CloudApi.SpotPricePage::prices,
                        CloudApi.SpotPricePage::nextToken)
                .forEach(price -> spot.put(new Catalogue.Pool(price.type(), price.zone()), price.hourlyUsd()));
        return new Catalogue.Places(zones.build(), ImmutableMap.copyOf(spot));
    }

    /** Every item; with a gap told, those of the pages that could be read. */
    private <P, T> ImmutableList<T> pages(
            String what,
            Function<String, CompletionStage<Outcome<P, CloudError>>> ask,
            Function<P, ImmutableList<T>> items,
            Function<P, String> nextToken) {
        ImmutableList.Builder<T> all = ImmutableList.builder();
        String token = "";
        do {
            String page = token;
            Outcome<P, CloudError> answer = session.ask(what, () -> ask.apply(page));
            answer.error().ifPresent(error -> gap(Source.PRICES, "the " + what + " are unknown: " + error.message()));
            answer.value().ifPresent(found -> all.addAll(items.apply(found)));
            token = answer.value().map(nextToken).orElse("");
        } while (!token.isEmpty());
        return all.build();
    }

    /** Launch templates that carry all of {@code tags}; empty if they could not be read. */
    Optional<ImmutableList<TemplateFacts>> templates(ImmutableMap<String, String> tags) {
        ImmutableList.Builder<TemplateFacts> all = ImmutableList.builder();
        String token = "";
        do {
            String page = token;
            Outcome<TemplatePage, CloudError> answer =
                    session.ask("launch templates", () -> session.cloud().describeTemplates(tags, page));
            if (answer.value().isEmpty()) {
                return Optional.empty();
            }
            all.addAll(answer.value().get().templates());
            token = answer.value().get().nextToken();
        } while (!token.isEmpty());
        return Optional.of(all.build());
    }

    /** Events about the object with this uid; none if they cannot be read: they are a help only. */
    ImmutableList<ObjectNode> eventsOf(String uid) {
        if (uid.isEmpty()) {
            return ImmutableList.of();
        }
        Outcome<Page<ObjectNode>, KubeError> answer = session.ask(
                "events",
                () -> session.kube()
                        .list(
                                Kinds.EVENTS,
                                ListQuery.ALL
                                        .fields("involvedObject.uid=" + uid)
                                        .limit(PAGE)));
        return answer.value().map(Page::items).orElse(ImmutableList.of());
    }

    /** Events on our Installation, in whatever life of it. */
    Outcome<Page<ObjectNode>, KubeError> eventsOnInstallation(String name) {
        return session.ask(
                "events",
                () -> session.kube()
                        .list(
                                Kinds.EVENTS,
                                ListQuery.ALL
                                        .fields("involvedObject.kind=Installation,involvedObject.name=" + name)
                                        .limit(PAGE)));
    }

    Holdings holdings() {
        Optional<Installation> ours = installations.stream()
                .filter(found -> found.metadata().name().equals(settings.installation()))
                .findFirst();
        return new Holdings(
                session.now(),
                settings.installation(),
                ours,
                ours.flatMap(found -> keys.map(known -> new Standing(
                        found.spec().installationID(),
                        found.spec().epoch(),
                        found.spec().region(),
                        found.spec().vpc(),
                        known))),
                installations.stream()
                        .filter(found -> !found.metadata().name().equals(settings.installation()))
                        .collect(ImmutableList.toImmutableList()),
                ImmutableList.copyOf(instances.values()),
                cells,
                batches,
                ImmutableList.copyOf(pods.values()),
                ImmutableList.copyOf(leases),
                pricesByType(),
                ImmutableList.copyOf(gaps));
    }

    /** All of a kind. */
    ImmutableList<ObjectNode> every(ResourceKind<ObjectNode> kind, String missing) {
        return all(kind, ListQuery.ALL, Source.OTHER, missing);
    }

    /** Read by {@link #prices}. */
    ImmutableList<Offering> offerings() {
        return ImmutableList.copyOf(offerings);
    }

    /** Why something of this kind is missing; empty if nothing is. */
    Optional<String> trouble(Source source) {
        return gaps.stream()
                .filter(gap -> gap.source() == source)
                .map(Gap::text)
                .findFirst();
    }

    private ImmutableMap<String, Double> pricesByType() {
        Map<String, Double> prices = new LinkedHashMap<>();
        offerings.forEach(offering -> offering.hourlyUsd().ifPresent(usd -> prices.put(offering.type(), usd)));
        return ImmutableMap.copyOf(prices);
    }

    private Set<String> nodes() {
        Set<String> nodes = new LinkedHashSet<>();
        nodes.add(settings.node().name());
        installations.stream()
                .filter(found -> found.metadata().name().equals(settings.installation()))
                .flatMap(found -> found.spec().shards().stream())
                .forEach(shard -> nodes.add(shard.node()));
        cells.stream()
                .map(cell -> cell.status().node())
                .filter(node -> !node.isEmpty())
                .forEach(nodes::add);
        return nodes;
    }

    private Optional<InstallationKeys> readKeys() {
        ObjectRef ref = new ObjectRef(settings.namespace(), settings.installation() + "-installation");
        Outcome<ObjectNode, KubeError> answer =
                session.ask("Secret " + ref, () -> session.kube().get(SECRETS, ref));
        if (answer.error().isPresent()) {
            String hint = answer.error().get() instanceof KubeError.NotFound
                    ? " Its namespace is that of provider.yaml (--config)."
                    : "";
            gap(
                    Source.KEYS,
                    "no proof can be checked without Secret " + ref + ": "
                            + answer.error().get().message() + "." + hint);
            return Optional.empty();
        }
        ImmutableMap.Builder<String, String> data = ImmutableMap.builder();
        answer.value().orElseThrow().path("data").forEachEntry((name, value) -> data.put(name, value.asString("")));
        try {
            return Optional.of(InstallationKeys.fromSecretData(data.buildOrThrow()));
        } catch (IllegalArgumentException e) {
            gap(Source.KEYS, "no proof can be checked: Secret " + ref + ": " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Where only the original's definition is installed, its version is the only one. */
    private ImmutableList<Cell> readCells() {
        Outcome<Page<Cell>, KubeError> probe =
                session.ask("Cells", () -> session.kube().list(CrdKinds.CELLS, ListQuery.ALL.limit(1)));
        boolean originalOnly =
                probe.error().filter(KubeError.NotFound.class::isInstance).isPresent();
        return all(originalOnly ? ORIGINAL_CELLS : CrdKinds.CELLS, ListQuery.ALL, Source.CELLS, "Cells");
    }

    private void readLease(String node) {
        lease(node).ifPresent(leases::add);
    }

    /** The Lease of leader election for this virtual node; empty if it cannot be read. */
    Optional<LeaseFacts> lease(String node) {
        ObjectRef ref = new ObjectRef(settings.namespace(), settings.installation() + "-" + node);
        Outcome<Lease, KubeError> answer =
                session.ask("Lease " + ref, () -> session.kube().get(Kinds.LEASES, ref));
        if (answer.value().isPresent()) {
            return Optional.of(facts(node, answer.value().get()));
        }
        KubeError error = answer.error().orElseThrow();
        if (error instanceof KubeError.NotFound) {
            return Optional.of(new LeaseFacts(node, "", Optional.empty(), Duration.ZERO));
        }
        gap(Source.LEASES, "who leads for node " + node + " is not known: " + error.message());
        return Optional.empty();
    }

    private static LeaseFacts facts(String node, Lease lease) {
        Optional<LeaseSpec> spec = Optional.ofNullable(lease.getSpec());
        return new LeaseFacts(
                node,
                spec.map(LeaseSpec::getHolderIdentity).orElse(""),
                spec.map(LeaseSpec::getRenewTime).map(time -> Instant.from(time)),
                Duration.ofSeconds(spec.map(LeaseSpec::getLeaseDurationSeconds).orElse(0)));
    }

    private <T> ImmutableList<T> all(ResourceKind<T> kind, ListQuery query, Source source, String missing) {
        ImmutableList.Builder<T> all = ImmutableList.builder();
        String token = "";
        do {
            ListQuery page = query.limit(PAGE).continuing(token);
            Outcome<Page<T>, KubeError> answer =
                    session.ask(kind.plural(), () -> session.kube().list(kind, page));
            if (answer.error().isPresent()) {
                gap(source, missing + " cannot be told: " + answer.error().get().message());
                return all.build();
            }
            Page<T> found = answer.value().orElseThrow();
            all.addAll(found.items());
            found.refused()
                    .forEach(refused ->
                            gap(source, kind.kind() + " " + refused.ref() + " cannot be read: " + refused.problem()));
            token = found.continueToken();
        } while (!token.isEmpty());
        return all.build();
    }

    private void describe(Function<String, InstanceQuery> ofPage) {
        String token = "";
        do {
            InstanceQuery query = ofPage.apply(token);
            Outcome<InstancePage, CloudError> answer =
                    session.ask("instances", () -> session.cloud().describe(query));
            if (answer.error().isPresent()) {
                gap(
                        Source.CLOUD,
                        "instances cannot be told: " + answer.error().get().message());
                return;
            }
            answer.value().get().instances().forEach(this::add);
            token = answer.value().get().nextToken();
        } while (!token.isEmpty());
    }

    private void add(InstanceFacts instance) {
        instances.put(instance.id(), instance);
    }

    private void add(ObjectNode pod) {
        pods.put(Holdings.refOf(pod), pod);
    }

    private void gap(Source source, String text) {
        gaps.add(new Gap(source, text));
    }
}
