package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.KeyPage;
import dev.kip.cloud.AnchorStore.Reading;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.LeaseFacts;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.ownership.AnchorKeys;
import dev.kip.controller.ownership.Identity;
import dev.kip.controller.ownership.ShardAnchor;
import dev.kip.controller.ownership.Standing;
import dev.kip.crd.Installation;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.outcome.Outcome;
import dev.kip.yaml.Suggestion;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * The installation that a command is about: who it is, where that was read, and whether anybody acts for it now.
 *
 * @param cluster whether its own cluster was read; if not, nothing is known of its pods
 * @param source where the keys are from, for people
 * @param shards of the anchor
 * @param living who acts for it, for people; empty if nobody does
 */
record Owner(
        Standing standing,
        Optional<Installation> record,
        boolean cluster,
        String source,
        ImmutableList<AnchoredShard> shards,
        Optional<String> living) {

    /** @param version for its replacement */
    record AnchoredShard(String key, String node, ShardAnchor shard, String version, Instant serverTime) {}

    /**
     * Finds it. The record of a cluster whose kube-system is another than the record says was copied or restored into it:
     * the installation's pods, and whoever acts for it, are not there.
     *
     * @param wanted its id; the one of this cluster, or that the anchor knows by its name, if empty
     * @throws CliFailure if it cannot be found, or its keys cannot
     */
    static Owner find(Session session, Holdings holdings, Optional<String> wanted) {
        ControllerSettings settings = session.config().controller();
        Optional<AnchorStore> anchors = session.ways().anchors();
        Optional<Installation> copy = holdings.installation()
                .filter(found ->
                        wanted.isEmpty() || found.spec().installationID().equals(wanted.get()));
        Optional<Installation> record =
                copy.filter(found -> found.spec().clusterUID().equals(clusterUid(session)));
        Optional<String> id = copy.map(found -> found.spec().installationID())
                .or(() -> wanted)
                .or(() -> anchors.flatMap(store -> pointer(
                        session,
                        store,
                        AnchorKeys.byName(
                                settings.installation(), settings.node().name()))));
        if (id.isEmpty()) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "which installation is meant is not known: there is no Installation " + settings.installation()
                            + " in a cluster that answers, and no anchor that knows it. Name it by --installation, and"
                            + " its anchor by ownership.anchor in provider.yaml.");
        }
        Optional<Identity> identity = anchors.flatMap(store -> identity(session, store, id.get()));
        ImmutableList<AnchoredShard> shards =
                anchors.map(store -> shards(session, store, id.get())).orElse(ImmutableList.of());
        Optional<Standing> standing =
                copy.flatMap(found -> holdings.standing()).or(() -> identity.map(found -> standing(found, shards)));
        if (standing.isEmpty()) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "the keys of installation " + id.get() + " are neither in the cluster nor in "
                            + anchors.map(AnchorStore::location).orElse("an anchor (none is configured)")
                            + ": without them nothing is provably its own, and nothing is ended."
                            + anchors.map(store -> known(session, store, id.get()))
                                    .orElse(""));
        }
        boolean cluster = !holdings.lacks(Source.INSTALLATION)
                && !holdings.lacks(Source.CELLS)
                && (record.isPresent()
                        || identity.filter(found -> found.clusterUid().equals(clusterUid(session)))
                                .isPresent());
        return new Owner(
                standing.get(),
                record,
                cluster,
                copy.isPresent() && holdings.standing().isPresent()
                        ? "the cluster's Secret"
                        : "the anchor " + anchors.map(AnchorStore::location).orElse(""),
                shards,
                living(holdings, record, shards, patience(settings)));
    }

    /** An anchor that has not been renewed for so long is nobody's. */
    private static Duration patience(ControllerSettings settings) {
        return settings.timing().leaseDuration().multipliedBy(2);
    }

    private static Standing standing(Identity identity, ImmutableList<AnchoredShard> shards) {
        return new Standing(
                identity.installationId(),
                shards.stream().mapToLong(shard -> shard.shard().epoch()).max().orElse(0),
                identity.region(),
                identity.vpc(),
                keys(identity));
    }

    /** @throws CliFailure if the anchor has something else in their place */
    static InstallationKeys keys(Identity identity) {
        try {
            return InstallationKeys.fromSecretData(identity.keys());
        } catch (IllegalArgumentException e) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "the keys in the anchor's " + AnchorKeys.identity(identity.installationId()) + " cannot be used: "
                            + e.getMessage() + ". Restore an earlier version of that object.");
        }
    }

    private static Optional<String> living(
            Holdings holdings, Optional<Installation> record, ImmutableList<AnchoredShard> shards, Duration patience) {
        if (record.isPresent()) {
            Optional<LeaseFacts> held = holdings.leases().stream()
                    .filter(lease -> lease.held(holdings.now()))
                    .findFirst();
            if (held.isPresent()) {
                return Optional.of(held.get().holder() + " holds the Lease of node "
                        + held.get().node());
            }
        }
        return shards.stream()
                .filter(shard -> shard.shard().state() == ShardAnchor.State.CONFIRMED
                        && Duration.between(shard.shard().renewedAt(), shard.serverTime())
                                        .compareTo(patience)
                                < 0)
                .findFirst()
                .map(shard -> shard.shard().holder() + " renewed the anchor of node " + shard.node() + " "
                        + Texts.age(Duration.between(shard.shard().renewedAt(), shard.serverTime()))
                        + " ago, in the cluster whose kube-system is "
                        + shard.shard().clusterUid());
    }

    /** Uid of kube-system; empty if the cluster does not answer. */
    static String clusterUid(Session session) {
        Outcome<ObjectNode, KubeError> answer = session.ask(
                "namespace kube-system",
                () -> session.kube().get(Kinds.NAMESPACES.as(Codecs.tree()), ObjectRef.cluster("kube-system")));
        return answer.value()
                .map(found -> found.path("metadata").path("uid").asString(""))
                .orElse("");
    }

    /** Empty if the anchor has none. @throws CliFailure if it has something else in its place */
    static Optional<Identity> identity(Session session, AnchorStore store, String id) {
        String key = AnchorKeys.identity(id);
        return read(session, store, key)
                .object()
                .map(object -> Identity.parse(object.content()).orElseThrow(() -> senseless(store, key)));
    }

    /** Whatever it was, somebody may act by it. */
    static CliFailure senseless(AnchorStore store, String key) {
        return new CliFailure(
                CliFailure.FAILED,
                key + " of the anchor " + store.location() + " cannot be made sense of: nothing is done before it can."
                        + " Restore an earlier version of that object.");
    }

    static Optional<String> pointer(Session session, AnchorStore store, String key) {
        return read(session, store, key).object().map(object -> object.content().strip());
    }

    static Reading read(Session session, AnchorStore store, String key) {
        Outcome<Reading, CloudError> answer = session.ask("the anchor", () -> store.read(key));
        return answer.value()
                .orElseThrow(() -> new CliFailure(
                        CliFailure.FAILED,
                        "the anchor " + store.location() + " cannot be read: "
                                + answer.error().map(CloudError::message).orElse("")));
    }

    static ImmutableList<String> keys(Session session, AnchorStore store, String prefix) {
        ImmutableList.Builder<String> all = ImmutableList.builder();
        String token = "";
        do {
            String page = token;
            Outcome<KeyPage, CloudError> answer = session.ask("the anchor", () -> store.list(prefix, page));
            KeyPage found = answer.value()
                    .orElseThrow(() -> new CliFailure(
                            CliFailure.FAILED,
                            "the anchor " + store.location() + " cannot be listed: "
                                    + answer.error().map(CloudError::message).orElse("")));
            all.addAll(found.keys());
            token = found.nextToken();
        } while (!token.isEmpty());
        return all.build();
    }

    static ImmutableList<AnchoredShard> shards(Session session, AnchorStore store, String id) {
        ImmutableList.Builder<AnchoredShard> shards = ImmutableList.builder();
        for (String key : keys(session, store, AnchorKeys.shards(id))) {
            Reading reading = read(session, store, key);
            reading.object()
                    .ifPresent(object -> shards.add(new AnchoredShard(
                            key,
                            key.substring(AnchorKeys.shards(id).length()),
                            ShardAnchor.parse(object.content()).orElseThrow(() -> senseless(store, key)),
                            object.version(),
                            reading.serverTime())));
        }
        return shards.build();
    }

    /** Which installations the anchor knows, for a message. */
    static String known(Session session, AnchorStore store, String id) {
        ImmutableList<String> ids = keys(session, store, AnchorKeys.INSTALLATIONS).stream()
                .filter(key -> key.endsWith("/identity"))
                .map(key -> key.substring(AnchorKeys.INSTALLATIONS.length(), key.length() - "/identity".length()))
                .collect(ImmutableList.toImmutableList());
        return ids.isEmpty()
                ? " The anchor knows no installation."
                : Suggestion.didYouMean(id, ids) + " The anchor knows: "
                        + ids.stream().collect(Collectors.joining(", "));
    }
}
