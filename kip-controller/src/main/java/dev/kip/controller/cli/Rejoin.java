package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Anchored;
import dev.kip.cloud.AnchorStore.Written;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.ownership.AnchorKeys;
import dev.kip.controller.ownership.Identity;
import dev.kip.controller.ownership.Standing;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Tells the anchor that an installation belongs to this cluster now. The controller that starts here then finds it by the
 * cluster's own pointer, as one whose record was lost.
 */
final class Rejoin {

    private final Session session;
    private final Holdings holdings;
    private final String id;
    private final ControllerSettings settings;

    Rejoin(Session session, Holdings holdings, String id) {
        this.session = session;
        this.holdings = holdings;
        this.id = id;
        this.settings = session.config().controller();
    }

    /** What was done, or would be. */
    ImmutableList<String> run(boolean yes) {
        AnchorStore store = session.ways()
                .anchors()
                .orElseThrow(() -> failure("no anchor is configured, and without the keys in it nothing of " + id
                        + " can be told anything. Set ownership.anchor to the one that it had."));
        Anchored object = Owner.read(session, store, AnchorKeys.identity(id))
                .object()
                .orElseThrow(() -> failure("the anchor " + store.location() + " knows no installation " + id + "."
                        + Owner.known(session, store, id)));
        Identity identity =
                Identity.parse(object.content()).orElseThrow(() -> Owner.senseless(store, AnchorKeys.identity(id)));
        String here = clusterHere();
        checkOwn();
        checkPlace(identity);
        Owner owner = Owner.find(session, holdings, Optional.of(id));
        owner.living().ifPresent(living -> {
            throw failure("installation " + id + " lives: " + living + ". Stop that controller first.");
        });
        List<String> lines = new ArrayList<>();
        lines.add("installation " + id + ", by the name " + identity.installation()
                + " in the cluster whose kube-system is " + identity.clusterUid() + ", made " + identity.createdAt());
        lines.addAll(instances(identity));
        if (identity.clusterUid().equals(here)) {
            lines.add("It belongs to this cluster already: the controller that starts here goes on with it.");
            return ImmutableList.copyOf(lines);
        }
        if (!yes) {
            lines.add("To take it over into this cluster: kip adopt --installation " + id + " --yes");
            return ImmutableList.copyOf(lines);
        }
        Identity moved = new Identity(
                identity.installationId(),
                here,
                identity.account(),
                identity.region(),
                identity.vpc(),
                settings.installation(),
                identity.keys(),
                identity.createdAt());
        write(store, AnchorKeys.identity(id), moved.toJson(), Optional.of(object.version()));
        String pointer = AnchorKeys.byCluster(here, settings.installation());
        write(store, pointer, id, Owner.read(session, store, pointer).object().map(Anchored::version));
        lines.add(
                "It belongs to this cluster now. The controller that starts here next, or holds here now, goes on with it:"
                        + " kubectl get events --field-selector involvedObject.kind=Installation shows how.");
        return ImmutableList.copyOf(lines);
    }

    private String clusterHere() {
        if (holdings.lacks(Source.INSTALLATION)) {
            throw failure(
                    "this cluster cannot be read: " + holdings.gaps().get(0).text());
        }
        String uid = Owner.clusterUid(session);
        if (uid.isEmpty()) {
            throw failure("this cluster's namespace kube-system cannot be read: it tells one cluster from another.");
        }
        return uid;
    }

    private void checkOwn() {
        holdings.installation().ifPresent(own -> {
            String has = own.spec().installationID();
            throw failure(
                    has.equals(id)
                            ? "this cluster's Installation " + settings.installation() + " is " + id + " already."
                            : "this cluster has an installation of its own, " + has
                                    + ". End it with kip drain first, or give this controller another name by installation:"
                                    + " in provider.yaml.");
        });
    }

    private void checkPlace(Identity identity) {
        if (!identity.region().equals(settings.launch().region())) {
            throw failure("installation " + id + " is in region " + identity.region() + ", the configuration says "
                    + settings.launch().region() + ": correct cloud.aws.region.");
        }
        String vpc = settings.launch().vpcId().orElse("default");
        if (!identity.vpc().equals(vpc)) {
            throw failure("installation " + id + " is in VPC " + identity.vpc() + ", the configuration says " + vpc
                    + ": correct cloud.aws.vpcID.");
        }
    }

    private List<String> instances(Identity identity) {
        Standing standing = new Standing(id, 0, identity.region(), identity.vpc(), Owner.keys(identity));
        ImmutableList<InstanceFacts> proven = holdings.instances().stream()
                .filter(instance -> !instance.state().ended() && standing.proves(instance))
                .collect(ImmutableList.toImmutableList());
        List<String> lines = new ArrayList<>();
        proven.forEach(instance -> lines.add("  " + instance.id() + "  " + instance.type() + "  "
                + Texts.age(Duration.between(instance.launchTime(), holdings.now()))));
        lines.add(Texts.count(proven.size(), "instance") + " for "
                + Texts.hourlyAndMonthly(proven.stream()
                        .map(instance -> holdings.prices().get(instance.type()))
                        .filter(Objects::nonNull)
                        .mapToDouble(Double::doubleValue)
                        .sum()));
        return lines;
    }

    private void write(AnchorStore store, String key, String content, Optional<String> version) {
        Outcome<Written, CloudError> answer = session.ask("the anchor", () -> store.write(key, content, version));
        answer.error().ifPresent(error -> {
            throw failure(key + " of " + store.location() + " could not be written: " + error.message()
                    + ". Nothing is half done: run it again.");
        });
    }

    private static CliFailure failure(String message) {
        return new CliFailure(CliFailure.FAILED, message);
    }
}
