package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import dev.kip.crd.Installation;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What garbage collection has ended of late, or was about to end, in an annotation of the Installation. It is written before
 * the calls that end something: a controller that is restarted again and again has one budget, and whoever comes after one
 * that died in between can tell what it did. Confined to the loop.
 */
final class Ledger {

    /** Annotation: by virtual node, instances and when they were to be ended. */
    static final String ANNOTATION = "kip.elotl.co/gc-ended";

    private static final int MOST = 1000;

    private final String node;
    private final Duration kept;
    private ImmutableList<Entry> entries;

    /** @param at by the wall clock of the controller that wrote it: no other outlives it */
    record Entry(String instance, Instant at) {

        /** How long ago that is; a clock that was ahead does not make it longer. */
        Duration age(Instant now) {
            Duration age = Duration.between(at, now);
            return age.isNegative() ? Duration.ZERO : age;
        }
    }

    /** @param kept what is older is forgotten */
    Ledger(String node, Duration kept, Installation record) {
        this.node = node;
        this.kept = kept;
        this.entries = entriesOf(record, node);
    }

    ImmutableList<Entry> entries() {
        return entries;
    }

    /** An operator has looked at them: they count no more. */
    void clear() {
        entries = ImmutableList.of();
    }

    /** The record with these instances written down too. */
    Installation with(Installation record, ImmutableList<String> instances, Instant now) {
        ImmutableList<Entry> all = Stream.concat(
                        entries.stream()
                                .filter(entry ->
                                        entry.age(now).compareTo(kept) < 0 && !instances.contains(entry.instance())),
                        instances.stream().map(id -> new Entry(id, now.truncatedTo(ChronoUnit.SECONDS))))
                .collect(ImmutableList.toImmutableList());
        entries = all.subList(Math.max(0, all.size() - MOST), all.size());
        ObjectNode tree = treeOf(record).orElseGet(JsonNodeFactory.instance::objectNode);
        ArrayNode list = tree.putArray(node);
        entries.forEach(entry -> list.addObject()
                .put("instance", entry.instance())
                .put("at", entry.at().toString()));
        return new Installation(
                record.metadata().withAnnotation(ANNOTATION, tree.toString()), record.spec(), record.status());
    }

    /** What cannot be read was written by somebody else, and says nothing. */
    private static ImmutableList<Entry> entriesOf(Installation record, String node) {
        JsonNode list = treeOf(record).map(tree -> tree.path(node)).orElseGet(JsonNodeFactory.instance::missingNode);
        ImmutableList.Builder<Entry> found = ImmutableList.builder();
        for (JsonNode entry : list) {
            entryOf(entry).ifPresent(found::add);
        }
        return found.build();
    }

    private static Optional<Entry> entryOf(JsonNode entry) {
        try {
            return Optional.of(new Entry(
                    entry.path("instance").asString(""),
                    Instant.parse(entry.path("at").asString(""))));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<ObjectNode> treeOf(Installation record) {
        try {
            return JsonMapper.shared().readTree(record.metadata().annotations().getOrDefault(ANNOTATION, "{}"))
                            instanceof ObjectNode tree
                    ? Optional.of(tree)
                    : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
