package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.ownership.Findings.KeysSecret;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.Installation;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationSpec.Shard;
import dev.kip.crd.InstallationStatus;
import dev.kip.crd.InstallationStatus.Condition;
import dev.kip.crd.ObjectMetadata;
import dev.kip.entropy.Entropy;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.reflect.Reflector;
import dev.kip.kube.reflect.ReflectorHandler;
import dev.kip.kube.reflect.ReflectorSettings;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Watches over the record while this incarnation reigns: writes Installation and Secret anew if somebody takes them away,
 * says when another incarnation is in the record, and when the installation is to be taken down. Confined to the loop.
 */
public final class RecordKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(RecordKeeper.class);
    private static final ResourceKind<ObjectNode> CRDS = Kinds.CUSTOM_RESOURCE_DEFINITIONS.as(Codecs.tree());
    private static final Duration RETRY = Duration.ofSeconds(15);
    private static final Duration SECRET_CHECK = Duration.ofMinutes(5);

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final ControllerSettings settings;
    private final Standing standing;
    private Shard mine;
    private final Supplier<Mandate> mandate;
    private final Announcements announcements;
    private final Listener listener;
    private final Reflector<Installation> reflector;
    private Installation last;
    private boolean there = true;
    private boolean writing;
    private boolean rebuildsLater;
    private boolean draining;
    private boolean stopped;
    private final Map<String, Condition> unwritten = new LinkedHashMap<>();

    /** Hears of what the record says. Called on the loop. */
    public interface Listener {

        /** The record names a later incarnation of our shard, or another installation. */
        void replaced(String because);

        /** The record names an earlier incarnation of our shard: the cluster's storage was set back. */
        void setBack(String because);

        /** The installation is to be taken down; or, if false, is not any more. */
        void draining(boolean wanted);
    }

    /** @param written the record as this incarnation wrote it */
    public RecordKeeper(
            Loop loop,
            KubeApi kube,
            Calls calls,
            Entropy entropy,
            ControllerSettings settings,
            Standing standing,
            Installation written,
            Supplier<Mandate> mandate,
            Announcements announcements,
            Listener listener) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.settings = settings;
        this.standing = standing;
        this.last = written;
        this.mine = written.spec()
                .shard(settings.node().name())
                .orElseThrow(() -> new IllegalArgumentException("a record without our shard"));
        this.mandate = mandate;
        this.announcements = announcements;
        this.listener = listener;
        this.reflector = new Reflector<>(
                kube,
                loop,
                entropy,
                CrdKinds.INSTALLATIONS,
                installation -> new ObjectKey(
                        ObjectRef.cluster(installation.metadata().name()),
                        installation.metadata().uid(),
                        installation.metadata().resourceVersion()),
                ReflectorSettings.ALL.fields("metadata.name=" + settings.installation()),
                new Handler());
    }

    public void start() {
        reflector.start();
        tellDraining();
        calls.after(SECRET_CHECK, "look at the Secret", this::checkSecret);
    }

    public void stop() {
        stopped = true;
        reflector.stop();
    }

    /** The record as last seen. */
    public Installation installation() {
        return last;
    }

    /** Shows a condition; the one of its type is replaced. Written when it can be. */
    public void show(String type, boolean holds, String reason, String message) {
        unwritten.put(type, new Condition(type, holds ? "True" : "False", reason, message, time()));
        writeNews();
    }

    /** Cluster and cloud tell of the same past: the next incarnation need not doubt it. */
    public void reconciled() {
        mine = mine.reconciled();
        writeNews();
    }

    private String time() {
        return loop.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private final class Handler implements ReflectorHandler<Installation> {

        @Override
        public void upserted(Installation installation) {
            seen(installation);
        }

        @Override
        public void deleted(Installation gone) {
            there = false;
            rebuild();
        }

        @Override
        public void replaced(ImmutableList<Installation> all) {
            if (all.isEmpty()) {
                deleted(last);
            }
        }
    }

    private void seen(Installation installation) {
        there = true;
        last = installation;
        InstallationSpec spec = installation.spec();
        if (!spec.installationID().equals(standing.installationId())) {
            listener.replaced("the Installation is now of installation " + spec.installationID());
            return;
        }
        Optional<Shard> shard = spec.shard(mine.node());
        if (shard.isPresent() && shard.get().epoch() > mine.epoch()) {
            listener.replaced("the Installation names epoch " + shard.get().epoch() + ", ours is " + mine.epoch());
            return;
        }
        if (shard.isPresent() && !shard.get().nonce().equals(mine.nonce())) {
            listener.setBack("the Installation names epoch " + shard.get().epoch()
                    + ", and ours was written after it: the cluster was restored from a backup");
            return;
        }
        if (installation.metadata().deleting() && !draining) {
            lookAtDefinition();
        } else {
            tellDraining();
        }
        writeNews();
    }

    private void tellDraining() {
        boolean wanted =
                last.drains(mine.node()) || (draining && last.metadata().deleting());
        if (wanted != draining) {
            draining = wanted;
            listener.draining(wanted);
        }
    }

    /** Whoever deletes the Installation means the installation; whoever deletes the definition, all objects with it, does not. */
    private void lookAtDefinition() {
        calls.on(
                "kube",
                "get customresourcedefinitions",
                kube.get(CRDS, ObjectRef.cluster(CrdKinds.INSTALLATIONS.plural() + "." + CrdKinds.GROUP)),
                definition -> {
                    if (definition.path("metadata").has("deletionTimestamp")) {
                        letGo();
                    } else {
                        drain();
                    }
                },
                error -> {
                    if (error instanceof KubeError.NotFound) {
                        letGo();
                    } else {
                        LOG.warn("read the definition of Installations: {}", error.message());
                        calls.after(RETRY, "look at the definition", this::lookAgain);
                    }
                });
    }

    private void lookAgain() {
        if (there && last.metadata().deleting() && !draining) {
            lookAtDefinition();
        }
    }

    private void drain() {
        announcements.note(
                Optional.of(last),
                "Draining",
                "the Installation is deleted: everything that it has in the cloud is ended");
        draining = true;
        listener.draining(true);
    }

    /** The definition goes, and must not wait for us; the record is written again when there is a definition again. */
    private void letGo() {
        announcements.warn(
                Optional.of(last),
                "DefinitionDeleted",
                "the definition of Installations is being deleted; pods run on, and the record is written anew once the"
                        + " definitions are applied again");
        ObjectMetadata known = last.metadata();
        write(
                new Installation(known.withoutFinalizer(Installation.FINALIZER), last.spec(), last.status()),
                "release the Installation");
    }

    /** What is to be shown; and our shard, if somebody has changed it or taken it out. */
    private void writeNews() {
        if (!there) {
            rebuild();
            return;
        }
        if (writing) {
            return;
        }
        InstallationStatus status = last.status();
        for (Condition condition : unwritten.values()) {
            status = status.with(condition);
        }
        InstallationSpec spec = edited() ? last.spec().with(mine) : last.spec();
        if (status.equals(last.status()) && spec.equals(last.spec())) {
            unwritten.clear();
        } else {
            write(new Installation(last.metadata(), spec, status), "write what is new");
        }
    }

    /** Our shard is not there, or not as we have it. One of another incarnation is not ours to change. */
    private boolean edited() {
        Optional<Shard> shard = last.spec().shard(mine.node());
        return shard.isEmpty()
                || (shard.get().nonce().equals(mine.nonce()) && !shard.get().equals(mine));
    }

    /** Others write the record too: who comes too late sees what they wrote, and decides again. */
    private void write(Installation next, String what) {
        if (writing || stopped || mandate.get().expired(loop.nanos())) {
            return;
        }
        writing = true;
        calls.on(
                "kube",
                "replace installations",
                kube.replace(CrdKinds.INSTALLATIONS, ObjectRef.cluster(settings.installation()), next),
                written -> {
                    writing = false;
                    last = written;
                    goOn();
                },
                error -> {
                    writing = false;
                    LOG.info("{}: {}", what, error.message());
                    calls.after(RETRY, "write the record", this::goOn);
                });
    }

    private void goOn() {
        if (there) {
            writeNews();
        } else if (!draining) {
            rebuild(); // it went while it was being written
        }
    }

    private void rebuild() {
        if (there || writing || stopped) {
            return;
        }
        if (mandate.get().expired(loop.nanos())) {
            rebuildLater();
            return;
        }
        writing = true;
        ObjectMetadata fresh = last.metadata().anew().withFinalizer(Installation.FINALIZER);
        boolean wasDeleted = draining && !last.drains(mine.node());
        InstallationSpec spec = wasDeleted ? last.spec().withDraining(true) : last.spec();
        calls.on(
                "kube",
                "create installations",
                kube.create(CrdKinds.INSTALLATIONS, "", new Installation(fresh, spec, last.status())),
                written -> {
                    writing = false;
                    there = true;
                    last = written;
                    announcements.warn(
                            Optional.of(written),
                            "RecordLost",
                            "the Installation was deleted while it was in use; it has been written anew");
                },
                error -> {
                    writing = false;
                    LOG.warn("write the Installation anew: {}", error.message());
                    if (!(error instanceof KubeError.AlreadyExists)) {
                        rebuildLater();
                    }
                });
        checkSecretNow();
    }

    /** However many have noticed that it is gone. */
    private void rebuildLater() {
        if (!rebuildsLater) {
            rebuildsLater = true;
            calls.after(RETRY, "rebuild the record", () -> {
                rebuildsLater = false;
                rebuild();
            });
        }
    }

    private void checkSecret() {
        checkSecretNow();
        calls.after(SECRET_CHECK, "look at the Secret", this::checkSecret);
    }

    private void checkSecretNow() {
        ObjectRef ref = settings.keysSecret();
        calls.on("kube", "get secrets", kube.get(FindingsReader.SECRETS, ref), found -> {}, error -> {
            if (error instanceof KubeError.NotFound && !stopped) {
                restoreSecret(ref);
            }
        });
    }

    private void restoreSecret(ObjectRef ref) {
        if (mandate.get().expired(loop.nanos())) {
            return;
        }
        calls.on(
                "kube",
                "create secrets",
                kube.create(
                        FindingsReader.SECRETS,
                        ref.namespace(),
                        KeysSecret.object(ref, standing.installationId(), standing.keys())),
                created -> announcements.warn(
                        Optional.of(last),
                        "KeysRestored",
                        "the Secret " + ref + " with the installation's keys was gone; it has been written anew"),
                error -> LOG.warn("write Secret {} anew: {}", ref, error.message()));
    }
}
