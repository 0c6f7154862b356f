package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.gc.Claims.Read;
import dev.kip.controller.gc.Claims.Source;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.LaunchBatch;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ListQuery;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads what may claim an instance, after the cloud: the journal, then Cells, then the node's pods; every page, each a
 * quorum read. What cannot be read is a gap, and the reading goes on: what a gap means is a gate's to say. Confined to the
 * loop.
 */
final class ClaimsReader {

    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final int PAGE = 500;

    private final KubeApi kube;
    private final Calls calls;
    private final String node;

    ClaimsReader(KubeApi kube, Calls calls, String node) {
        this.kube = kube;
        this.calls = calls;
        this.node = node;
    }

    /** Reads once; call it after a whole list of the cloud has been taken in. */
    void read(Consumer<Claims> then) {
        new Reading(then).journal();
    }

    private final class Reading {

        private final Consumer<Claims> then;
        private final ImmutableList.Builder<Read> order =
                ImmutableList.<Read>builder().add(new Read(Source.CLOUD, true));
        private final ImmutableList.Builder<String> gaps = ImmutableList.builder();
        private final Set<String> batches = new LinkedHashSet<>();
        private final Map<String, String> cellByInstance = new LinkedHashMap<>();
        private final Map<String, String> instanceByPod = new LinkedHashMap<>();
        private final Set<String> pods = new LinkedHashSet<>();

        Reading(Consumer<Claims> then) {
            this.then = then;
        }

        void journal() {
            order.add(new Read(Source.JOURNAL, true));
            this.<LaunchBatch>pages(
                    CrdKinds.LAUNCH_BATCHES,
                    ListQuery.ALL,
                    batch -> batches.add(batch.metadata().name()),
                    this::cells);
        }

        private void cells() {
            order.add(new Read(Source.KUBERNETES, true));
            this.<Cell>pages(CrdKinds.CELLS, ListQuery.ALL, this::cell, this::pods);
        }

        private void cell(Cell cell) {
            CellStatus status = cell.status();
            cellByInstance.put(status.instanceID(), cell.metadata().name());
            if (status.node().equals(node) && !status.podUID().isEmpty()) {
                instanceByPod.put(status.podUID(), status.instanceID());
            }
        }

        private void pods() {
            pages(
                    PODS,
                    ListQuery.ALL.fields("spec.nodeName=" + node),
                    pod -> pods.add(pod.path("metadata").path("uid").asString("")),
                    this::done);
        }

        private void done() {
            then.accept(new Claims(
                    order.build(),
                    gaps.build(),
                    ImmutableSet.copyOf(batches),
                    ImmutableMap.copyOf(cellByInstance),
                    ImmutableMap.copyOf(instanceByPod),
                    ImmutableSet.copyOf(pods)));
        }

        private <T> void pages(ResourceKind<T> kind, ListQuery query, Consumer<T> each, Runnable next) {
            calls.on(
                    "kube",
                    "list " + kind.plural(),
                    kube.list(kind, query.limit(PAGE)),
                    page -> take(kind, query, page, each, next),
                    error -> {
                        gaps.add(kind.plural() + ": " + error.message());
                        next.run();
                    });
        }

        private <T> void take(ResourceKind<T> kind, ListQuery query, Page<T> page, Consumer<T> each, Runnable next) {
            page.items().forEach(each);
            page.refused().forEach(bad -> gaps.add(kind.plural() + " " + bad.ref() + " cannot be read"));
            if (page.continueToken().isEmpty()) {
                next.run();
            } else {
                pages(kind, query.continuing(page.continueToken()), each, next);
            }
        }
    }
}
