package dev.kip.controller.effects;

import com.google.common.net.HostAndPort;
import dev.kip.bundle.BundleBuilder;
import dev.kip.bundle.Bundled;
import dev.kip.bundle.PodBundle;
import dev.kip.bundle.Refusal;
import dev.kip.cell.CellApi;
import dev.kip.cell.Grant;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.Errand;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.cells.Origin;
import dev.kip.controller.ownership.Mandate;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** Speaks to cells, and collects what they are handed. Retries nothing. Confined to the loop. */
public final class CellEffects {

    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final Duration WAIT = Duration.ofSeconds(55);
    private static final Duration FIRST = Duration.ofSeconds(2);
    private static final Duration MOST = Duration.ofMinutes(1);

    private final Loop loop;
    private final KubeApi kube;
    private final CellApi cells;
    private final Calls calls;
    private final Optional<HostAndPort> apiServer;
    private final Told told;
    private final HandedObjects handedObjects;

    /** An event on the pod. */
    public interface Told {
        void tell(Intent.GrantPod intent, boolean warning, String reason, String message);
    }

    /**
     * @param apiServer where pods find the API server; empty if they are not told
     * @param told hears what the pod's owner is to know
     */
    public CellEffects(
            Loop loop, KubeApi kube, CellApi cells, Calls calls, Optional<HostAndPort> apiServer, Told told) {
        this.loop = loop;
        this.kube = kube;
        this.cells = cells;
        this.calls = calls;
        this.apiServer = apiServer;
        this.told = told;
        this.handedObjects = new HandedObjects(loop, kube, calls, PodMaterials::kind);
    }

    public void watch(Intent.WatchCell intent, Consumer<CellFact> fact) {
        calls.on(
                "cell",
                "watch",
                cells.watch(intent.address(), intent.seen(), WAIT),
                report -> {
                    report.pod()
                            .filter(pod -> !pod.ended())
                            .ifPresent(pod -> handedObjects.found(pod.uid(), pod.origin(), fact));
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
                        new PodMaterials(loop, kube, calls, pod, new Granting(intent, mandate, fact, pod)).next();
                    } else {
                        notHandedOver(fact); // a namesake: the watch tells that ours is gone
                    }
                },
                error -> notHandedOver(fact));
    }

    private static void notHandedOver(Consumer<CellFact> fact) {
        fact.accept(new CellFact.Undone(Errand.GRANT, FIRST, MOST, true));
    }

    /** One pod on its way to its cell. */
    private final class Granting implements PodMaterials.Then {

        private final Intent.GrantPod intent;
        private final Mandate mandate;
        private final Consumer<CellFact> fact;
        private final ObjectNode pod;

        Granting(Intent.GrantPod intent, Mandate mandate, Consumer<CellFact> fact, ObjectNode pod) {
            this.intent = intent;
            this.mandate = mandate;
            this.fact = fact;
            this.pod = pod;
        }

        @Override
        public void failed() {
            notHandedOver(fact);
        }

        @Override
        public void refused(Refusal refusal) {
            say(refusal);
            notHandedOver(fact);
        }

        private void say(Refusal refusal) {
            boolean stops = refusal.kind().stopsThePod();
            told.tell(
                    intent,
                    stops,
                    stops ? "FailedToHandOver" : "NotCarriedOver",
                    refusal.field() + ": " + refusal.message());
        }

        @Override
        public void complete(PodMaterials materials) {
            Bundled bundled = BundleBuilder.build(pod, materials.materials(apiServer), intent.generation());
            bundled.refusals().forEach(this::say);
            materials
                    .absent()
                    .forEach(reference -> told.tell(
                            intent,
                            true,
                            RequiredObjects.reason("Optional", reference.kind()),
                            reference.kind().text() + " \"" + reference.name()
                                    + "\" not found: the pod runs without it"));
            if (bundled.bundle().isEmpty()) {
                notHandedOver(fact);
                return;
            }
            if (mandate.expired(loop.nanos())) {
                fact.accept(new CellFact.Expired(Errand.GRANT));
                return;
            }
            Origin origin = materials.origin(intent.pod().content());
            PodBundle bundle = bundled.bundle().get().withOrigin(origin.text());
            Grant grant = new Grant(mandate.epoch(), intent.pod().uid(), intent.attempt(), bundle);
            calls.on(
                    "cell",
                    "grant",
                    cells.grant(intent.address(), grant),
                    report -> {
                        handedObjects.handed(intent.pod().uid(), origin, fact);
                        fact.accept(new CellFact.Done(Errand.GRANT));
                        fact.accept(new CellFact.Reported(report));
                    },
                    error -> fact.accept(new CellFact.CellFailed(Errand.GRANT, error)));
        }
    }
}
