package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.launch.LaunchDesk;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.launch.Terminations;
import dev.kip.crd.Cell;
import dev.kip.crd.CrdKinds;
import dev.kip.crd.LaunchBatch;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ListQuery;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends instances that are provably ours and that nothing claims: ghosts of calls that were given up, leftovers of Cells
 * that were deleted by hand. Each must have been seen unclaimed twice, well apart; then journal and Cells are read anew,
 * in full and after the cloud, and only what is in neither is ended. Confined to the loop.
 */
public final class Orphans {

    private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);
    private static final int MOST_IN_A_ROUND = 20;
    private static final int PAGE = 500;

    private final Loop loop;
    private final Calls calls;
    private final KubeApi kube;
    private final PodCells cells;
    private final LaunchDesk launches;
    private final Terminations terminations;
    private final Standing standing;
    private final String node;
    private final Timing timing;
    private final ControllerListener listener;
    private final Map<String, Long> firstSeen = new LinkedHashMap<>();
    private boolean reading;

    public Orphans(
            Loop loop,
            Calls calls,
            KubeApi kube,
            PodCells cells,
            LaunchDesk launches,
            Terminations terminations,
            Standing standing,
            String node,
            Timing timing,
            ControllerListener listener) {
        this.loop = loop;
        this.calls = calls;
        this.kube = kube;
        this.cells = cells;
        this.launches = launches;
        this.terminations = terminations;
        this.standing = standing;
        this.node = node;
        this.timing = timing;
        this.listener = listener;
    }

    /** @param unclaimed of a whole list of the installation's instances */
    public void consider(ImmutableList<InstanceFacts> unclaimed) {
        long now = loop.nanos();
        Map<String, InstanceFacts> candidates = new LinkedHashMap<>();
        for (InstanceFacts instance : unclaimed) {
            if (isCandidate(instance)) {
                candidates.put(instance.id(), instance);
                firstSeen.putIfAbsent(instance.id(), now);
            }
        }
        firstSeen.keySet().retainAll(candidates.keySet());
        ImmutableList<InstanceFacts> old = candidates.values().stream()
                .filter(instance -> firstSeen.containsKey(instance.id())
                        && now - firstSeen.get(instance.id())
                                >= timing.orphanAge().toNanos())
                .limit(MOST_IN_A_ROUND)
                .collect(ImmutableList.toImmutableList());
        if (!old.isEmpty() && !reading) {
            reading = true;
            readJournal(old);
        }
    }

    private boolean isCandidate(InstanceFacts instance) {
        String batch = instance.tags().getOrDefault(Tags.BATCH, "");
        return !instance.state().ended()
                && node.equals(instance.tags().get(Tags.NODE))
                && !launches.isOpen(batch)
                && standing.proves(instance);
    }

    private void readJournal(ImmutableList<InstanceFacts> old) {
        Set<String> open = new LinkedHashSet<>();
        this.<LaunchBatch>readAll(
                CrdKinds.LAUNCH_BATCHES,
                "",
                page -> page.items().forEach(batch -> open.add(batch.metadata().name())),
                () -> readCells(old, open));
    }

    private void readCells(ImmutableList<InstanceFacts> old, Set<String> openBatches) {
        Set<String> bound = new LinkedHashSet<>();
        this.<Cell>readAll(
                CrdKinds.CELLS,
                "",
                page -> page.items().forEach(cell -> bound.add(cell.status().instanceID())),
                () -> {
                    reading = false;
                    end(old, openBatches, bound);
                });
    }

    /** An object that cannot be read might be the one that matters: then nothing is ended. */
    private <T> void readAll(ResourceKind<T> kind, String token, Consumer<Page<T>> each, Runnable then) {
        calls.on(
                "kube",
                "list " + kind.plural(),
                kube.list(kind, ListQuery.ALL.limit(PAGE).continuing(token)),
                page -> {
                    if (!page.refused().isEmpty()) {
                        LOG.warn("{} that cannot be read: no orphan is ended: {}", kind.plural(), page.refused());
                        reading = false;
                        return;
                    }
                    each.accept(page);
                    if (page.continueToken().isEmpty()) {
                        then.run();
                    } else {
                        readAll(kind, page.continueToken(), each, then);
                    }
                },
                error -> reading = false);
    }

    private void end(ImmutableList<InstanceFacts> old, Set<String> openBatches, Set<String> bound) {
        ImmutableSet<String> claimed = ImmutableSet.copyOf(bound);
        for (InstanceFacts instance : old) {
            String batch = instance.tags().getOrDefault(Tags.BATCH, "");
            if (claimed.contains(instance.id())
                    || openBatches.contains(batch)
                    || launches.isOpen(batch)
                    || cells.podOf(instance.id()).isPresent()) {
                continue;
            }
            LOG.warn(
                    "instance {} ({}, launched {}) is ours by tag and MAC, in no Cell and no LaunchBatch: ending it. {}",
                    instance.id(),
                    instance.type(),
                    instance.launchTime(),
                    instance.tags().entrySet().stream()
                            .map(Object::toString)
                            .sorted()
                            .collect(Collectors.joining(", ")));
            listener.anomaly("orphan", instance.id());
            terminations.end(instance.id(), new Terminations.Ending() {
                @Override
                public void accepted() {
                    firstSeen.remove(instance.id());
                }

                @Override
                public void unknown() {
                    firstSeen.remove(instance.id());
                }

                @Override
                public void undone() {
                    LOG.warn("instance {} was not ended; it is considered again", instance.id());
                }
            });
        }
    }
}
