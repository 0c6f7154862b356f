package dev.kip.sim.apiserver.managed;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.managed.Trees.Comparison;
import dev.kip.sim.apiserver.schema.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** {@code metadata.managedFields} of one object while it is written. */
final class Managers {

    private static final String BEFORE_FIRST_APPLY = "before-first-apply";
    /** Of updaters; the fields of older ones go to one that stands for all of them. */
    private static final int MOST_UPDATERS = 10;

    private static final String ANCIENT = "ancient-changes";
    private static final FieldSet SYSTEM = system();

    private final Shape shape;
    private final String now;
    private final List<Entry> entries = new ArrayList<>();

    private record Entry(Manager manager, FieldSet fields, String time) {}

    /** @param now as RFC 3339 */
    Managers(Shape shape, JsonNode managedFields, String now) {
        this.shape = shape;
        this.now = now;
        for (JsonNode entry : managedFields) {
            Manager manager = new Manager(
                    entry.path("manager").asString(""),
                    entry.path("operation").asString("").equals("Apply"),
                    entry.path("subresource").asString(""),
                    entry.path("apiVersion").asString(""));
            entries.add(new Entry(
                    manager,
                    FieldSet.of(entry.path("fieldsV1")),
                    entry.path("time").asString("")));
        }
    }

    private static FieldSet system() {
        FieldSet set = new FieldSet();
        set.add(List.of("f:apiVersion"));
        set.add(List.of("f:kind"));
        set.add(List.of("f:metadata"));
        for (String field : List.of(
                "name",
                "namespace",
                "creationTimestamp",
                "selfLink",
                "uid",
                "clusterName",
                "generation",
                "managedFields",
                "resourceVersion",
                "deletionTimestamp",
                "deletionGracePeriodSeconds")) {
            set.add(List.of("f:metadata", Steps.field(field)));
        }
        return set;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whoever writes owns what he changes, and others own it no longer. */
    void update(Manager manager, JsonNode before, JsonNode after, String part) {
        Comparison change = Trees.compare(shape, before, after);
        FieldSet written = owned(change.written(), part);
        take(manager, change.written(), change.removed());
        FieldSet own = fieldsOf(manager).minus(change.removed()).union(written);
        if (!written.isEmpty()) {
            put(manager, own, now);
        } else if (!own.equals(fieldsOf(manager))) {
            put(manager, own, timeOf(manager, now));
        }
        capUpdaters();
    }

    /** What nobody is known to own belongs to whoever came before the first apply. */
    void assumeUpdater(String apiVersion, JsonNode blank, JsonNode live) {
        update(new Manager(BEFORE_FIRST_APPLY, false, "", apiVersion), blank, live, "");
    }

    /**
     * Applies an object.
     *
     * @param part a subresource, or empty for the object itself
     * @throws ApplyConflict if others own fields that would change, and it is not forced
     * @throws Untyped if what is applied does not fit the schema
     */
    JsonNode apply(Manager manager, JsonNode live, ObjectNode applied, String part, boolean force) {
        List<Entry> before = List.copyOf(entries);
        FieldSet stated = owned(Trees.fields(shape, applied), part);
        FieldSet last = fieldsOf(manager);
        JsonNode merged = Trees.merge(shape, live, applied);
        put(manager, stated, timeOf(manager, ""));
        FieldSet owned = new FieldSet();
        for (Entry entry : entries) {
            owned = owned.union(entry.fields());
        }
        FieldSet dropped = Trees.named(shape, last).minus(Trees.named(shape, owned));
        JsonNode next = Trees.without(shape, merged, dropped);
        Comparison change = Trees.compare(shape, live, next);
        ImmutableList<ApplyConflict.Conflict> conflicts = conflicts(manager, change.written());
        if (!force && !conflicts.isEmpty()) {
            entries.clear();
            entries.addAll(before);
            throw new ApplyConflict(conflicts);
        }
        take(manager, change.written(), change.removed());
        if (!next.equals(live)) {
            put(manager, stated, now);
        }
        return next;
    }

    private ImmutableList<ApplyConflict.Conflict> conflicts(Manager manager, FieldSet written) {
        ImmutableList.Builder<ApplyConflict.Conflict> conflicts = ImmutableList.builder();
        for (Entry entry : entries) {
            if (!entry.manager().same(manager)) {
                entry.fields()
                        .intersection(written)
                        .forEach(path -> conflicts.add(
                                new ApplyConflict.Conflict(entry.manager().toString(), path)));
            }
        }
        return conflicts.build();
    }

    private void take(Manager manager, FieldSet written, FieldSet removed) {
        for (Entry entry : List.copyOf(entries)) {
            if (!entry.manager().same(manager)) {
                put(entry.manager(), entry.fields().minus(written).minus(removed), entry.time());
            }
        }
    }

    /** What a write of this part can own: an object's status only through its subresource, and nothing else there. */
    private static FieldSet owned(FieldSet fields, String part) {
        FieldSet own = fields.minus(SYSTEM);
        return switch (part) {
            case "" -> own.without("f:status");
            case "status" -> own.without("f:spec");
            default -> own;
        };
    }

    private FieldSet fieldsOf(Manager manager) {
        return entries.stream()
                .filter(entry -> entry.manager().same(manager))
                .map(Entry::fields)
                .findFirst()
                .orElseGet(FieldSet::new);
    }

    private String timeOf(Manager manager, String otherwise) {
        return entries.stream()
                .filter(entry -> entry.manager().same(manager))
                .map(Entry::time)
                .findFirst()
                .orElse(otherwise);
    }

    private void put(Manager manager, FieldSet fields, String time) {
        int at = 0;
        while (at < entries.size() && !entries.get(at).manager().same(manager)) {
            at++;
        }
        if (at < entries.size()) {
            entries.remove(at);
        }
        if (!fields.isEmpty()) {
            entries.add(at, new Entry(manager, fields, time));
        }
    }

    private void capUpdaters() {
        List<Entry> updaters = new ArrayList<>(entries);
        updaters.removeIf(entry -> entry.manager().applies());
        int surplus = updaters.size() - MOST_UPDATERS;
        if (surplus <= 0) {
            return;
        }
        updaters.sort(Comparator.comparing(Entry::time));
        for (Entry old : updaters.subList(0, surplus + 1)) {
            put(old.manager(), new FieldSet(), "");
            Manager heir = new Manager(ANCIENT, false, "", old.manager().apiVersion());
            put(heir, fieldsOf(heir).union(old.fields()), old.time());
        }
    }

    ArrayNode toJson() {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparing((Entry entry) -> !entry.manager().applies())
                .thenComparing(Entry::time)
                .thenComparing(entry -> entry.manager().name())
                .thenComparing(entry -> entry.manager().apiVersion())
                .thenComparing(entry -> entry.manager().subresource()));
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        sorted.forEach(entry -> list.add(entry.manager().toJson(entry.time(), entry.fields())));
        return list;
    }
}
