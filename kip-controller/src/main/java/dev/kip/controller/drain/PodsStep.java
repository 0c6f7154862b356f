package dev.kip.controller.drain;

import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.store.PodFacts;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Evicts the node's pods, so that disruption budgets are kept for a while; then deletes them. How they end, and their
 * instances after them, is as always. Pods of a DaemonSet would be made again as long as there is a node: those that run are
 * ended, the others go with the node.
 */
final class PodsStep implements Step {

    private static final Logger LOG = LoggerFactory.getLogger(PodsStep.class);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int AT_ONCE = 50;

    private final Room room;
    private final Map<String, Long> since = new LinkedHashMap<>();
    private final Set<String> asking = new LinkedHashSet<>();

    PodsStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "EndingPods";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        int left = 0;
        for (CellFacts cell : room.cells().all()) {
            if (cell.pod().isEmpty()) {
                continue;
            }
            PodFacts pod = cell.pod().get();
            boolean runs = cell.instanceId().isPresent();
            if (runs || !(pod.daemonSet() || pod.finished())) {
                left++;
                if (!pod.terminating() && !pod.finished() && asking.size() < AT_ONCE) {
                    end(pod);
                }
            }
        }
        if (left == 0) {
            verdict.done();
        } else {
            verdict.waiting(left + " pods have yet to end");
        }
    }

    private void end(PodFacts pod) {
        if (!room.mayWrite() || !asking.add(pod.uid())) {
            return;
        }
        long now = room.loop().nanos();
        long asked = since.computeIfAbsent(pod.uid(), uid -> now);
        if (pod.daemonSet() || now - asked >= PATIENCE.toNanos()) {
            delete(pod);
        } else {
            evict(pod);
        }
    }

    private void evict(PodFacts pod) {
        ObjectNode eviction = JsonNodeFactory.instance.objectNode();
        eviction.put("apiVersion", "policy/v1");
        eviction.put("kind", "Eviction");
        eviction.putObject("metadata")
                .put("name", pod.ref().name())
                .put("namespace", pod.ref().namespace());
        eviction.putObject("deleteOptions").putObject("preconditions").put("uid", pod.uid());
        room.calls()
                .on(
                        "kube",
                        "create pods/eviction",
                        room.kube().post(Kinds.PODS, pod.ref(), "eviction", eviction),
                        done -> asking.remove(pod.uid()),
                        error -> {
                            asking.remove(pod.uid());
                            if (error instanceof KubeError.Invalid || error instanceof KubeError.Forbidden) {
                                LOG.info("evict {}: {}; deleting it", pod.ref(), error.message());
                                since.put(pod.uid(), room.loop().nanos() - PATIENCE.toNanos());
                            } else {
                                LOG.debug("evict {}: {}", pod.ref(), error.message());
                            }
                        });
    }

    private void delete(PodFacts pod) {
        room.calls()
                .on(
                        "kube",
                        "delete pods",
                        room.kube().delete(Kinds.PODS, pod.ref(), DeleteQuery.of(pod.uid())),
                        done -> asking.remove(pod.uid()),
                        error -> {
                            asking.remove(pod.uid());
                            LOG.debug("delete {}: {}", pod.ref(), error.message());
                        });
    }
}
