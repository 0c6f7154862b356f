package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Reading;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Findings.Anchor;
import dev.kip.controller.ownership.Findings.Glimpse;
import dev.kip.controller.ownership.Findings.Here;
import dev.kip.controller.ownership.Findings.KeysSecret;
import dev.kip.controller.ownership.Findings.Seen;
import dev.kip.controller.ownership.Findings.Via;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads, one after the other, all that is decided by at start. Changes nothing. Confined to the loop. */
final class FindingsReader {

    private static final Logger LOG = LoggerFactory.getLogger(FindingsReader.class);
    static final ResourceKind<ObjectNode> SECRETS = Kinds.SECRETS.as(Codecs.tree());
    private static final String DEFAULT_VPC = "default";
    private static final ResourceKind<ObjectNode> NAMESPACES = Kinds.NAMESPACES.as(Codecs.tree());

    private final Loop loop;
    private final KubeApi kube;
    private final Optional<AnchorStore> store;
    private final CloudEffects cloud;
    private final Calls calls;
    private final ControllerSettings settings;
    private final StoreClock clock;
    private final Duration patience;

    /** The shard's anchor as it was when it was looked at before. */
    private Optional<String> lookedAt = Optional.empty();

    private long unchangedSince;

    /** @param patience an anchor that has not been renewed for so long is nobody's */
    FindingsReader(
            Loop loop,
            KubeApi kube,
            Optional<AnchorStore> store,
            CloudEffects cloud,
            Calls calls,
            ControllerSettings settings,
            StoreClock clock,
            Duration patience) {
        this.loop = loop;
        this.kube = kube;
        this.store = store;
        this.cloud = cloud;
        this.calls = calls;
        this.settings = settings;
        this.clock = clock;
        this.patience = patience;
    }

    /** @param installation the object that the record is of, for its replacement */
    record Gathered(Findings findings, Optional<Installation> installation) {}

    /** @param failed told what could not be read, and why */
    void read(ImmutableSet<String> ownNonces, Consumer<Gathered> done, BiConsumer<String, String> failed) {
        new Run(ownNonces, done, failed).readSecret();
    }

    /** One reading. */
    private final class Run {

        private final ImmutableSet<String> ownNonces;
        private final Consumer<Gathered> done;
        private final BiConsumer<String, String> failed;
        private Optional<KeysSecret> keys = Optional.empty();
        private Optional<Installation> installation = Optional.empty();
        private String clusterUid = "";
        private Optional<String> account = Optional.empty();
        private String journalVersion = "";
        private Via via = Via.NOTHING;
        private Anchor anchor = new Anchor.None();

        Run(ImmutableSet<String> ownNonces, Consumer<Gathered> done, BiConsumer<String, String> failed) {
            this.ownNonces = ownNonces;
            this.done = done;
            this.failed = failed;
        }

        void readSecret() {
            ObjectRef ref = settings.keysSecret();
            calls.on(
                    "kube",
                    "get secrets",
                    kube.get(SECRETS, ref),
                    secret -> {
                        keys = Optional.of(keysOf(secret));
                        readInstallation();
                    },
                    error -> unlessMissing(error, "read Secret " + ref, this::readInstallation));
        }

        private void readInstallation() {
            calls.on(
                    "kube",
                    "get installations",
                    kube.get(CrdKinds.INSTALLATIONS, ObjectRef.cluster(settings.installation())),
                    found -> {
                        installation = Optional.of(found);
                        readCluster();
                    },
                    error -> unlessMissing(error, "read the Installation", this::readCluster));
        }

        private void unlessMissing(KubeError error, String what, Runnable then) {
            if (error instanceof KubeError.NotFound) {
                then.run();
            } else {
                failed.accept(what, error.message());
            }
        }

        private void readCluster() {
            calls.on(
                    "kube",
                    "get namespaces",
                    kube.get(NAMESPACES, ObjectRef.cluster("kube-system")),
                    namespace -> {
                        clusterUid = namespace.path("metadata").path("uid").asString("");
                        readAccount();
                    },
                    error -> failed.accept("read the namespace kube-system", error.message()));
        }

        /** An account that may not be asked for is not compared. */
        private void readAccount() {
            cloud.account(
                    found -> {
                        account = Optional.of(found.account());
                        locate();
                    },
                    error -> {
                        LOG.info("the account is not known: {}", error.message());
                        locate();
                    });
        }

        private void locate() {
            Optional<String> recorded = installation.map(Installation::spec).map(InstallationSpec::installationID);
            Optional<String> secret = keys.map(KeysSecret::installationId).filter(id -> !id.isEmpty());
            if (store.isEmpty()) {
                via = recorded.isPresent() ? Via.RECORD : secret.isPresent() ? Via.SECRET : Via.NOTHING;
                glimpse(recorded.or(() -> secret));
            } else if (recorded.isPresent()) {
                readIdentity(store.get(), Via.RECORD, recorded.get());
            } else if (secret.isPresent()) {
                readIdentity(store.get(), Via.SECRET, secret.get());
            } else if (settings.ownership().adopt().isPresent()) {
                readIdentity(
                        store.get(),
                        Via.CONFIGURATION,
                        settings.ownership().adopt().get());
            } else {
                follow(
                        store.get(),
                        AnchorKeys.byCluster(clusterUid, settings.installation()),
                        Via.CLUSTER_POINTER,
                        () -> follow(
                                store.get(),
                                AnchorKeys.byName(
                                        settings.installation(), settings.node().name()),
                                Via.NAME_POINTER,
                                () -> nowhere(store.get())));
            }
        }

        private void nowhere(AnchorStore in) {
            anchor = new Anchor.Read(
                    in.location(), Optional.empty(), Optional.empty(), Optional.empty(), clock.latest());
            finish(Optional.empty());
        }

        private void follow(AnchorStore in, String pointer, Via how, Runnable nothing) {
            read(
                    in,
                    pointer,
                    reading -> reading.object()
                            .ifPresentOrElse(
                                    object -> readIdentity(
                                            in, how, object.content().strip()),
                                    nothing));
        }

        private void readIdentity(AnchorStore in, Via how, String id) {
            via = how;
            read(in, AnchorKeys.identity(id), reading -> {
                Optional<Identity> identity = reading.object().flatMap(object -> Identity.parse(object.content()));
                if (reading.object().isPresent() && identity.isEmpty()) {
                    unreachable(in, AnchorKeys.identity(id) + " cannot be made sense of");
                    return;
                }
                readShard(in, id, identity, reading.object().map(AnchorStore.Anchored::version));
            });
        }

        private void readShard(
                AnchorStore in, String id, Optional<Identity> identity, Optional<String> identityVersion) {
            String key = AnchorKeys.shard(id, settings.node().name());
            read(in, key, reading -> {
                Optional<ShardAnchor> shard = reading.object().flatMap(object -> ShardAnchor.parse(object.content()));
                if (reading.object().isPresent() && shard.isEmpty()) {
                    unreachable(in, key + " cannot be made sense of");
                    return;
                }
                Optional<String> version = reading.object().map(AnchorStore.Anchored::version);
                if (!lookedAt.equals(version)) {
                    unchangedSince = loop.nanos();
                }
                Optional<Seen> seen = shard.map(content -> new Seen(
                        content,
                        version.orElse(""),
                        lookedAt.isPresent() && !lookedAt.equals(version),
                        Duration.ofNanos(loop.nanos() - unchangedSince)));
                lookedAt = version;
                anchor = new Anchor.Read(in.location(), identity, identityVersion, seen, reading.serverTime());
                readJournal(id);
            });
        }

        /** The version of any list is that of the whole storage. */
        private void readJournal(String id) {
            calls.on(
                    "kube",
                    "list launchbatches",
                    kube.list(CrdKinds.LAUNCH_BATCHES, ListQuery.ALL.limit(1)),
                    page -> {
                        journalVersion = page.resourceVersion();
                        glimpse(Optional.of(id));
                    },
                    error -> unlessMissing(error, "list the LaunchBatches", () -> glimpse(Optional.of(id))));
        }

        private void read(AnchorStore in, String key, Consumer<Reading> then) {
            long sent = loop.nanos();
            calls.on(
                    "anchor",
                    "read",
                    in.read(key),
                    reading -> {
                        clock.answered(reading.serverTime(), sent);
                        then.accept(reading);
                    },
                    error -> unreachable(in, error.message()));
        }

        private void unreachable(AnchorStore in, String why) {
            anchor = new Anchor.Unreachable(in.location(), why);
            finish(Optional.empty());
        }

        private void glimpse(Optional<String> id) {
            Optional<Anchor.Read> read = anchor instanceof Anchor.Read known ? Optional.of(known) : Optional.empty();
            boolean keysGone = keys.isEmpty()
                    && read.flatMap(Anchor.Read::identity).map(Identity::keys).isEmpty();
            boolean anchorForgot = read.isPresent() && read.get().shard().isEmpty();
            boolean epochGone = anchorForgot || (installation.isEmpty() && store.isEmpty());
            if (id.isEmpty() || (!keysGone && !epochGone)) {
                finish(Optional.empty());
                return;
            }
            cloud.describeAll(
                    ImmutableMap.of(Tags.INSTALLATION, id.get()),
                    all -> finish(Optional.of(glimpseOf(all))),
                    error -> failed.accept("see what lives of installation " + id.get(), error.message()));
        }

        /** One may name the default VPC by its id and the other by that word: then it is asked which it is. */
        private void finish(Optional<Glimpse> glimpse) {
            String configured = settings.launch().vpcId().orElse(DEFAULT_VPC);
            String recorded = installation
                    .map(found -> found.spec().vpc())
                    .or(() ->
                            anchor instanceof Anchor.Read read ? read.identity().map(Identity::vpc) : Optional.empty())
                    .orElse(configured);
            if (recorded.equals(configured) || !(recorded.equals(DEFAULT_VPC) || configured.equals(DEFAULT_VPC))) {
                finish(glimpse, configured);
                return;
            }
            String named = recorded.equals(DEFAULT_VPC) ? configured : recorded;
            cloud.subnets(
                    subnets -> finish(
                            glimpse,
                            subnets.stream().anyMatch(subnet -> subnet.vpcId().equals(named)) ? recorded : configured),
                    error -> failed.accept("see which VPC is the default one", error.message()));
        }

        private void finish(Optional<Glimpse> glimpse, String vpc) {
            done.accept(new Gathered(
                    new Findings(
                            new Here(
                                    settings.node().name(),
                                    clusterUid,
                                    account,
                                    settings.launch().region(),
                                    vpc),
                            settings.ownership(),
                            installation.map(Installation::spec),
                            keys,
                            via,
                            anchor,
                            journalVersion,
                            glimpse,
                            patience,
                            ownNonces),
                    installation));
        }
    }

    private static Glimpse glimpseOf(Iterable<InstanceFacts> all) {
        int living = 0;
        long highest = 0;
        for (InstanceFacts instance : all) {
            living += instance.state().ended() ? 0 : 1;
            String epoch = instance.tags().getOrDefault(Tags.EPOCH, "");
            highest = Math.max(highest, epoch.matches("[0-9]{1,15}") ? Long.parseLong(epoch) : 0);
        }
        return new Glimpse(living, highest);
    }

    private static KeysSecret keysOf(ObjectNode secret) {
        ImmutableMap.Builder<String, String> data = ImmutableMap.builder();
        secret.path("data")
                .properties()
                .forEach(entry -> data.put(entry.getKey(), entry.getValue().asString("")));
        return KeysSecret.of(data.buildOrThrow());
    }
}
