package dev.kip.controller.interruption;

import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.events.ObjectEvents.Subject;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.store.PodFacts;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Has the pods of instances that are about to be taken back end in time, each for itself, so that their owners make others at
 * once. The virtual node stays as it is: it has room elsewhere. Confined to the loop.
 */
final class Evictions {

    private static final Logger LOG = LoggerFactory.getLogger(Evictions.class);

    /** A budget may allow it as soon as another pod is ready. */
    private static final Duration RETRY = Duration.ofSeconds(3);

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final PodCells cells;
    private final ObjectEvents events;
    private final Supplier<Mandate> mandate;

    /** By pod uid. */
    private final Map<String, Notice> under = new LinkedHashMap<>();

    Evictions(Loop loop, KubeApi kube, Calls calls, PodCells cells, ObjectEvents events, Supplier<Mandate> mandate) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.cells = cells;
        this.events = events;
        this.mandate = mandate;
    }

    /** Begins, unless it has begun before. */
    void begin(String podUid, String instanceId, Notice notice) {
        Optional<PodFacts> pod = cells.get(podUid).flatMap(CellFacts::pod);
        if (pod.isEmpty() || pod.get().finished() || under.putIfAbsent(podUid, notice) != null) {
            return;
        }
        LOG.info("{} of pod {} is about to be taken back", instanceId, pod.get().ref());
        events.tell(
                Subject.pod(pod.get()),
                true,
                "SpotInterrupted",
                "EC2 takes " + instanceId
                        + " back within two minutes: the pod is evicted, so that its owner makes another");
        attempt(podUid);
    }

    /** Nothing is left to be done for the pod. */
    boolean settled(String podUid) {
        Optional<PodFacts> pod = cells.get(podUid).flatMap(CellFacts::pod);
        return pod.isEmpty() || pod.get().finished() || pod.get().terminating();
    }

    private void attempt(String podUid) {
        Notice notice = under.get(podUid);
        Optional<PodFacts> found = cells.get(podUid).flatMap(CellFacts::pod);
        if (notice == null || found.isEmpty() || found.get().finished()) {
            under.remove(podUid);
            return;
        }
        PodFacts pod = found.get();
        long now = loop.nanos();
        Duration grace = notice.grace(pod.grace(), now);
        if (pod.terminating() && grace.equals(pod.grace())) {
            under.remove(podUid);
            return;
        }
        if (mandate.get().expired(now)) {
            again(podUid);
            return;
        }
        Notice.Step step = pod.terminating() ? Notice.Step.DELETE : notice.step(pod.grace(), now);
        switch (step) {
            case EVICT -> evict(pod, grace);
            case DELETE -> delete(pod, grace);
            case NOTHING -> under.remove(podUid);
        }
    }

    private void again(String podUid) {
        calls.after(RETRY, "evict", () -> attempt(podUid));
    }

    private void evict(PodFacts pod, Duration grace) {
        ObjectNode eviction = JsonNodeFactory.instance.objectNode();
        eviction.put("apiVersion", "policy/v1");
        eviction.put("kind", "Eviction");
        eviction.putObject("metadata")
                .put("name", pod.ref().name())
                .put("namespace", pod.ref().namespace());
        ObjectNode options = eviction.putObject("deleteOptions");
        options.put("gracePeriodSeconds", grace.toSeconds());
        options.putObject("preconditions").put("uid", pod.uid());
        calls.on(
                "kube",
                "create pods/eviction",
                kube.post(Kinds.PODS, pod.ref(), "eviction", eviction),
                done -> under.remove(pod.uid()),
                error -> {
                    if (error instanceof KubeError.NotFound || error instanceof KubeError.Conflict) {
                        under.remove(pod.uid());
                    } else if (error instanceof KubeError.Invalid || error instanceof KubeError.Forbidden) {
                        LOG.info("evict {}: {}; deleting it", pod.ref(), error.message());
                        delete(pod, grace);
                    } else {
                        LOG.info("evict {}: {}; trying again", pod.ref(), error.message());
                        again(pod.uid());
                    }
                });
    }

    private void delete(PodFacts pod, Duration grace) {
        calls.on(
                "kube",
                "delete pods",
                kube.delete(
                        Kinds.PODS,
                        pod.ref(),
                        new DeleteQuery(
                                Optional.of(pod.uid()), Optional.empty(), OptionalInt.of((int) grace.toSeconds()))),
                done -> under.remove(pod.uid()),
                error -> {
                    if (error instanceof KubeError.NotFound || error instanceof KubeError.Conflict) {
                        under.remove(pod.uid());
                    } else {
                        LOG.info("delete {}: {}; trying again", pod.ref(), error.message());
                        again(pod.uid());
                    }
                });
    }
}
