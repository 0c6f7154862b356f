package dev.kip.sim.apiserver.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All objects of one kind, in the order of their keys, with the history of their changes since the last compaction. */
public final class Shelf {

    private final String name;
    private final TreeMap<String, Versioned> current = new TreeMap<>();
    private final List<ChangeListener> listeners = new ArrayList<>();
    private ArrayList<Change> history = new ArrayList<>();
    private long compacted;

    Shelf(String name, long compacted) {
        this.name = name;
        this.compacted = compacted;
    }

    public String name() {
        return name;
    }

    public Optional<Versioned> get(String key) {
        return Optional.ofNullable(current.get(key));
    }

    public int size() {
        return current.size();
    }

    /** The present state. A view: do not write while iterating. */
    public NavigableMap<String, Versioned> now() {
        return Collections.unmodifiableNavigableMap(current);
    }

    /**
     * The state as of a revision: the present one with later changes undone.
     *
     * @throws Compacted if the history does not reach back that far
     */
    public NavigableMap<String, Versioned> at(long revision) {
        if (revision < compacted) {
            throw new Compacted(revision, compacted);
        }
        int later = firstAfter(revision);
        if (later == history.size()) {
            return now();
        }
        TreeMap<String, Versioned> state = new TreeMap<>(current);
        for (int i = history.size() - 1; i >= later; i--) {
            Change change = history.get(i);
            change.before()
                    .ifPresentOrElse(before -> state.put(change.key(), before), () -> state.remove(change.key()));
        }
        return state;
    }

    /**
     * Changes after a revision, oldest first.
     *
     * @throws Compacted if the history does not reach back that far
     */
    public List<Change> since(long revision) {
        if (revision < compacted) {
            throw new Compacted(revision, compacted);
        }
        return Collections.unmodifiableList(new ArrayList<>(history.subList(firstAfter(revision), history.size())));
    }

    /** Keys of a namespace. */
    public static NavigableMap<String, Versioned> inNamespace(NavigableMap<String, Versioned> state, String namespace) {
        // '0' follows '/', so this is every key that starts with "namespace/".
        return namespace.isEmpty() ? state : state.subMap(namespace + "/", true, namespace + "0", false);
    }

    /** Calls {@code listener} within each commit, after the state has changed. It must not write to this shelf. */
    public void listen(ChangeListener listener) {
        listeners.add(listener);
    }

    public void ignore(ChangeListener listener) {
        listeners.remove(listener);
    }

    void commit(Change change, int historyLimit) {
        change.after().ifPresentOrElse(after -> current.put(change.key(), after), () -> current.remove(change.key()));
        history.add(change);
        if (history.size() > historyLimit + historyLimit / 4) {
            compact(history.get(history.size() - historyLimit - 1).revision());
        }
        for (ChangeListener listener : List.copyOf(listeners)) {
            listener.changed(change);
        }
    }

    void compact(long revision) {
        if (revision <= compacted) {
            return;
        }
        compacted = revision;
        int kept = firstAfter(revision);
        if (kept > 0) {
            history = new ArrayList<>(history.subList(kept, history.size()));
        }
    }

    /** A copy for a snapshot; objects and history entries are shared. */
    Contents contents() {
        return new Contents(new TreeMap<>(current), new ArrayList<>(history), compacted);
    }

    void restore(@Nullable Contents contents, long revision) {
        NavigableMap<String, Versioned> before = new TreeMap<>(current);
        current.clear();
        history = new ArrayList<>();
        compacted = revision;
        if (contents != null) {
            current.putAll(contents.current);
            history.addAll(contents.history);
            compacted = contents.compacted;
        }
        for (ChangeListener listener : List.copyOf(listeners)) {
            listener.restored(before);
        }
    }

    private int firstAfter(long revision) {
        int low = 0;
        int high = history.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (history.get(middle).revision() <= revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Hears of commits. */
    public interface ChangeListener {

        void changed(Change change);

        /**
         * The whole store went back to a snapshot: what was told before no longer holds.
         *
         * @param before what was on the shelf until then
         */
        void restored(NavigableMap<String, Versioned> before);
    }

    /** What a snapshot keeps of a shelf. */
    record Contents(TreeMap<String, Versioned> current, List<Change> history, long compacted) {}

    /** The history needed has been compacted away. */
    public static final class Compacted extends RuntimeException {

        private final long requested;
        private final long oldest;

        Compacted(long requested, long oldest) {
            super("revision " + requested + " has been compacted; history starts after " + oldest, null, false, false);
            this.requested = requested;
            this.oldest = oldest;
        }

        public long requested() {
            return requested;
        }

        /** The oldest revision that can still be read or watched from. */
        public long oldest() {
            return oldest;
        }
    }
}
