package dev.kip.sim.apiserver.store;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * The one consistent store behind the API: a shelf per kind, one revision for all of them. Every write commits at once
 * and gets the next revision. Confined to the server's loop.
 */
public final class Store {

    /** A fresh etcd has seen its first writes before anyone lists; 0 means "any" to clients and is never handed out. */
    private static final long FIRST_REVISION = 1;

    private final int historyLimit;
    private final Map<String, Shelf> shelves = new LinkedHashMap<>();
    private long revision = FIRST_REVISION;
    private long compacted;

    /** @param historyLimit changes kept per kind; older ones are compacted away */
    public Store(int historyLimit) {
        this.historyLimit = historyLimit;
    }

    public long revision() {
        return revision;
    }

    /** @param kind for example {@code apps/deployments}; made when first asked for */
    public Shelf shelf(String kind) {
        return shelves.computeIfAbsent(kind, name -> new Shelf(name, compacted));
    }

    /** Creates or replaces. Takes the tree over: the caller must not touch it any more. */
    public Versioned put(Shelf shelf, String key, ObjectNode object) {
        revision++;
        object.withObjectProperty("metadata").put("resourceVersion", Long.toString(revision));
        Versioned after = new Versioned(key, object, revision);
        shelf.commit(new Change(revision, key, shelf.get(key), Optional.of(after)), historyLimit);
        return after;
    }

    /** @return the last state under the revision of the deletion; empty if there was none */
    public Optional<Versioned> delete(Shelf shelf, String key) {
        Optional<Versioned> before = shelf.get(key);
        before.ifPresent(gone -> {
            revision++;
            shelf.commit(new Change(revision, key, before, Optional.empty()), historyLimit);
        });
        return before.map(gone -> gone.at(revision));
    }

    /** Forgets history up to and including {@code upTo}; present state stays. */
    public void compact(long upTo) {
        compacted = Math.max(compacted, Math.min(upTo, revision));
        for (Shelf shelf : shelves.values()) {
            shelf.compact(compacted);
        }
    }

    /** The oldest revision that can still be read in full. */
    public long compacted() {
        return compacted;
    }

    /** The whole store as it stands; cheap, since objects are shared. */
    public Snapshot snapshot() {
        NavigableMap<String, Shelf.Contents> contents = new TreeMap<>();
        shelves.forEach((name, shelf) -> contents.put(name, shelf.contents()));
        return new Snapshot(contents, revision, compacted);
    }

    /** Goes back to a snapshot, revision included, as an etcd restored from a backup does. */
    public void restore(Snapshot snapshot) {
        revision = snapshot.revision;
        compacted = snapshot.compacted;
        snapshot.contents.keySet().forEach(this::shelf);
        // A copy: where definitions come back, shelves for what they define are made meanwhile.
        List.copyOf(shelves.values()).forEach(shelf -> shelf.restore(snapshot.contents.get(shelf.name()), compacted));
    }

    /** Everything at one revision. Immutable; usable with the store it was taken from. */
    public static final class Snapshot {

        private final NavigableMap<String, Shelf.Contents> contents;
        private final long revision;
        private final long compacted;

        private Snapshot(NavigableMap<String, Shelf.Contents> contents, long revision, long compacted) {
            this.contents = contents;
            this.revision = revision;
            this.compacted = compacted;
        }

        public long revision() {
            return revision;
        }

        /** Present objects as one JSON document, for a file. History is not kept: watchers list anew after a restart. */
        public ObjectNode toJson(ObjectNode target) {
            target.put("revision", revision);
            ObjectNode kinds = target.putObject("objects");
            contents.forEach((name, shelf) -> {
                if (!shelf.current().isEmpty()) {
                    ObjectNode objects = kinds.putObject(name);
                    shelf.current().forEach((key, versioned) -> objects.set(key, versioned.object()));
                }
            });
            return target;
        }

        public static Snapshot fromJson(ObjectNode document) {
            long revision = document.path("revision").asLong();
            NavigableMap<String, Shelf.Contents> contents = new TreeMap<>();
            document.path("objects").forEachEntry((name, objects) -> {
                TreeMap<String, Versioned> current = new TreeMap<>();
                objects.forEachEntry((key, object) -> {
                    if (object instanceof ObjectNode tree) {
                        long at = tree.path("metadata").path("resourceVersion").asLong(revision);
                        current.put(key, new Versioned(key, tree, at));
                    }
                });
                contents.put(name, new Shelf.Contents(current, List.of(), revision));
            });
            return new Snapshot(contents, revision, revision);
        }
    }
}
