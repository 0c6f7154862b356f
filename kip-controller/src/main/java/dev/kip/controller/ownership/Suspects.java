package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.launch.Tags;
import dev.kip.crd.Cell;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Cells that are not believed, and the instances that they may have been written for. Who edits the instance in a Cell
 * leaves its batch and its client token, which only instances of one launch call have in common: whichever of these is in no
 * Cell and holds nothing is as good as the one that was meant. Confined to the loop.
 */
final class Suspects {

    private final CloudEffects cloud;

    /** Their instance is unknown to the cloud: believed if no other instance turns out to hold their pod. */
    private final Map<String, Cell> baseless = new LinkedHashMap<>();

    /** Not believed. */
    private final Map<String, Cell> doubted = new LinkedHashMap<>();

    Suspects(CloudEffects cloud) {
        this.cloud = cloud;
    }

    void baseless(Cell cell) {
        baseless.put(cell.metadata().name(), cell);
    }

    void doubted(Cell cell) {
        doubted.put(cell.metadata().name(), cell);
    }

    /** It is one no more. */
    Optional<Cell> take(String name) {
        return Optional.ofNullable(doubted.remove(name)).or(() -> Optional.ofNullable(baseless.remove(name)));
    }

    ImmutableList<Cell> all() {
        return Stream.concat(doubted.values().stream(), baseless.values().stream())
                .collect(ImmutableList.toImmutableList());
    }

    /** It is one of them as it is. */
    boolean has(Cell cell) {
        return cell.equals(doubted.get(cell.metadata().name()))
                || cell.equals(baseless.get(cell.metadata().name()));
    }

    /** Whether one of them may have been written for this instance. */
    boolean concern(InstanceFacts instance) {
        return all().stream().anyMatch(cell -> launched(cell, instance));
    }

    /** Whether both tell of one launch call: they share its token. */
    static boolean launched(Cell cell, InstanceFacts instance) {
        return !cell.status().clientToken().isEmpty()
                && cell.status().clientToken().equals(instance.clientToken())
                && CellProof.unnamed(cell).isEmpty();
    }

    /**
     * Looks for their instances where the list of our own does not show them: somebody may have edited the tags, too.
     *
     * @param listed what is known to live
     * @param found hears of these and of what was found beside them
     */
    void search(
            ImmutableList<InstanceFacts> listed,
            Consumer<ImmutableList<InstanceFacts>> found,
            Consumer<CloudError> failed) {
        Map<String, InstanceFacts> known = new LinkedHashMap<>();
        listed.forEach(instance -> known.put(instance.id(), instance));
        ImmutableSet<String> tokens =
                listed.stream().map(InstanceFacts::clientToken).collect(ImmutableSet.toImmutableSet());
        ImmutableSet<String> batches = all().stream()
                .filter(cell -> !tokens.contains(cell.status().clientToken()))
                .map(cell -> cell.status().batch())
                .filter(batch -> !batch.isEmpty())
                .collect(ImmutableSet.toImmutableSet());
        search(batches.iterator(), known, found, failed);
    }

    private void search(
            Iterator<String> batches,
            Map<String, InstanceFacts> known,
            Consumer<ImmutableList<InstanceFacts>> found,
            Consumer<CloudError> failed) {
        if (!batches.hasNext()) {
            found.accept(ImmutableList.copyOf(known.values()));
            return;
        }
        cloud.describeAll(
                ImmutableMap.of(Tags.BATCH, batches.next()),
                more -> {
                    more.forEach(instance -> known.putIfAbsent(instance.id(), instance));
                    search(batches, known, found, failed);
                },
                failed);
    }

    /** Pods of Cells that may have been written for one of these instances. */
    ImmutableSet<String> podsOf(ImmutableList<InstanceFacts> instances) {
        return all().stream()
                .filter(cell -> instances.stream().anyMatch(instance -> launched(cell, instance)))
                .map(cell -> cell.status().podUID())
                .collect(ImmutableSet.toImmutableSet());
    }

    /** They are suspects no more. */
    ImmutableList<Cell> takeBaseless(Predicate<String> pods) {
        return take(baseless, pods);
    }

    ImmutableList<Cell> takeDoubted() {
        return take(doubted, pod -> true);
    }

    private static ImmutableList<Cell> take(Map<String, Cell> from, Predicate<String> pods) {
        ImmutableList<Cell> taken = from.values().stream()
                .filter(cell -> pods.test(cell.status().podUID()))
                .collect(ImmutableList.toImmutableList());
        taken.forEach(cell -> from.remove(cell.metadata().name()));
        return taken;
    }

    boolean anyLeft() {
        return !doubted.isEmpty() || !baseless.isEmpty();
    }
}
