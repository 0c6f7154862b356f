package dev.kip.controller.effects;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.BundleBuilder;
import dev.kip.bundle.Bundled;
import dev.kip.bundle.Materials;
import dev.kip.bundle.PodBundle;
import dev.kip.bundle.Reference;
import dev.kip.bundle.Refusal;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.Grant;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.Errand;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.ownership.Mandate;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** Speaks to cells, and collects what they are handed. Retries nothing. Confined to the loop. */
public final class CellEffects {

    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> SECRETS = Kinds.SECRETS.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> CONFIG_MAPS = Kinds.CONFIG_MAPS.as(Codecs.tree());
    private static final Duration WAIT = Duration.ofSeconds(55);
    private static final Duration FIRST = Duration.ofSeconds(2);
    private static final Duration MOST = Duration.ofMinutes(1);

    private final Loop loop;
    private final KubeApi kube;
    private final CellApi cells;
    private final Calls calls;
    private final BiConsumer<Intent.GrantPod, Refusal> refused;
    private final HandedObjects handedObjects;

    /** @param refused told why a pod could not be made ready for its cell */
    public CellEffects(
            Loop loop, KubeApi kube, CellApi cells, Calls calls, BiConsumer<Intent.GrantPod, Refusal> refused) {
        this.loop = loop;
        this.kube = kube;
        this.cells = cells;
        this.calls = calls;
        this.refused = refused;
        this.handedObjects = new HandedObjects(loop, kube, calls, CellEffects::kind);
    }

    private static ResourceKind<ObjectNode> kind(Reference.Kind kind) {
        return kind == Reference.Kind.SECRET ? SECRETS : CONFIG_MAPS;
    }

    public void watch(Intent.WatchCell intent, Consumer<CellFact> fact) {
        calls.on(
                "cell",
                "watch",
                cells.watch(intent.address(), intent.seen(), WAIT),
                report -> {
                    fact.accept(new CellFact.Done(Errand.WATCH));
                    fact.accept(new CellFact.Reported(report));
                },
                error -> fact.accept(new CellFact.CellFailed(Errand.WATCH, error)));
    }

    public void end(Intent.EndPod intent, Mandate mandate, Consumer<CellFact> fact) {
        if (mandate.expired(loop.nanos())) {
            fact.accept(new CellFact.Expired(Errand.END));
            return;
        }
        calls.on(
                "cell",
                "end",
                cells.end(intent.address(), intent.order()),
                report -> {
                    fact.accept(new CellFact.EndTold(intent.order().grace()));
                    fact.accept(new CellFact.Reported(report));
                },
                error -> fact.accept(new CellFact.CellFailed(Errand.END, error)));
    }

    /** Reads the pod whole and all that it refers to, then hands it over. */
    public void grant(Intent.GrantPod intent, Mandate mandate, Consumer<CellFact> fact) {
        calls.on(
                "kube",
                "get pods",
                kube.get(PODS, intent.pod().ref()),
                pod -> {
                    String uid = pod.path("metadata").path("uid").asString("");
                    if (uid.equals(intent.pod().uid())) {
                        new Collecting(intent, mandate, fact, pod).next();
                    } else {
                        notHandedOver(fact); // a namesake: the watch tells that ours is gone
                    }
                },
                error -> notHandedOver(fact));
    }

    private static void notHandedOver(Consumer<CellFact> fact) {
        fact.accept(new CellFact.Undone(Errand.GRANT, FIRST, MOST, true));
    }

    /** One pod's references, read one after the other. */
    private final class Collecting {

        private final Intent.GrantPod intent;
        private final Mandate mandate;
        private final Consumer<CellFact> fact;
        private final ObjectNode pod;
        private final ImmutableList<Reference> references;
        private final Map<String, ObjectNode> secrets = new TreeMap<>();
        private final Map<String, ObjectNode> configMaps = new TreeMap<>();
        private int read;

        Collecting(Intent.GrantPod intent, Mandate mandate, Consumer<CellFact> fact, ObjectNode pod) {
            this.intent = intent;
            this.mandate = mandate;
            this.fact = fact;
            this.pod = pod;
            this.references = BundleBuilder.references(pod);
        }

        void next() {
            if (read == references.size()) {
                handOver();
                return;
            }
            Reference reference = references.get(read++);
            boolean secret = reference.kind() == Reference.Kind.SECRET;
            ResourceKind<ObjectNode> kind = kind(reference.kind());
            calls.on(
                    "kube",
                    "get " + kind.plural(),
                    kube.get(kind, new ObjectRef(intent.pod().ref().namespace(), reference.name())),
                    object -> {
                        (secret ? secrets : configMaps).put(reference.name(), object);
                        next();
                    },
                    error -> {
                        if (error instanceof KubeError.NotFound) {
                            next(); // whether that matters is for the builder to say
                        } else {
                            notHandedOver(fact);
                        }
                    });
        }

        private void handOver() {
            Bundled bundled = BundleBuilder.build(
                    pod,
                    new Materials(ImmutableMap.copyOf(secrets), ImmutableMap.copyOf(configMaps)),
                    intent.generation());
            bundled.refusals().forEach(refusal -> refused.accept(intent, refusal));
            if (bundled.bundle().isEmpty()) {
                notHandedOver(fact);
                return;
            }
            if (mandate.expired(loop.nanos())) {
                fact.accept(new CellFact.Expired(Errand.GRANT));
                return;
            }
            PodBundle bundle = bundled.bundle().get();
            Grant grant = new Grant(mandate.epoch(), intent.pod().uid(), intent.attempt(), bundle);
            calls.on("cell", "grant", cells.grant(intent.address(), grant), this::handedOver, this::failed);
        }

        private void handedOver(CellReport report) {
            handedObjects.handed(
                    pod,
                    reference -> Optional.ofNullable(
                            (reference.kind() == Reference.Kind.SECRET ? secrets : configMaps).get(reference.name())),
                    fact);
            fact.accept(new CellFact.Done(Errand.GRANT));
            fact.accept(new CellFact.Reported(report));
        }

        private void failed(CellError error) {
            fact.accept(new CellFact.CellFailed(Errand.GRANT, error));
        }
    }
}
