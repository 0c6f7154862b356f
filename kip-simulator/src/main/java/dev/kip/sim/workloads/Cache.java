package dev.kip.sim.workloads;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ResourceType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * The objects of one type as far as the changes have been heard of, with indexes. What it hands out must not be changed;
 * take a {@link ObjectNode#deepCopy()} to write. Confined to the loop.
 */
final class Cache {

    /** Hears of each change after the cache and its indexes know of it. */
    interface Listener {
        void changed(Optional<ObjectNode> before, Optional<ObjectNode> after);
    }

    /** Finds objects by what an index function says of them. */
    final class Index {
        private final Function<ObjectNode, List<String>> terms;
        private final Map<String, TreeSet<String>> keys = new LinkedHashMap<>();

        private Index(Function<ObjectNode, List<String>> terms) {
            this.terms = terms;
        }

        /** In the order of their names. */
        List<ObjectNode> get(String term) {
            TreeSet<String> found = keys.get(term);
            if (found == null) {
                return List.of();
            }
            List<ObjectNode> result = new ArrayList<>(found.size());
            for (String key : found) {
                Cache.this.get(key).ifPresent(result::add);
            }
            return result;
        }

        private void remove(String key, ObjectNode object) {
            for (String term : terms.apply(object)) {
                TreeSet<String> found = keys.get(term);
                if (found != null && found.remove(key) && found.isEmpty()) {
                    keys.remove(term);
                }
            }
        }

        private void add(String key, ObjectNode object) {
            terms.apply(object)
                    .forEach(term ->
                            keys.computeIfAbsent(term, any -> new TreeSet<>()).add(key));
        }
    }

    private final ApiClient api;
    private final ResourceType type;
    private final TreeMap<String, ObjectNode> objects = new TreeMap<>();
    private final List<Index> indexes = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private long newest;

    Cache(ApiClient api, ResourceType type) {
        this.api = api;
        this.type = type;
    }

    /** Of an object's own key. */
    static String key(ObjectNode object) {
        return key(Objects.namespace(object), Objects.name(object));
    }

    static String key(String namespace, String name) {
        return namespace + "/" + name;
    }

    ResourceType type() {
        return type;
    }

    /** Before {@link #start}. */
    Index index(Function<ObjectNode, List<String>> terms) {
        Index index = new Index(terms);
        indexes.add(index);
        return index;
    }

    void listen(Listener listener) {
        listeners.add(listener);
    }

    /** Takes what there is and hears of everything from now on. */
    void start() {
        api.onChange(type, (event, object) -> {
            newest = Math.max(newest, Objects.version(object));
            put(object, event.equals("DELETED"));
        });
        api.list(type, "").forEach(this::written);
    }

    /** Knows the answer to a write before its change is heard of, so that the next decision builds on it. */
    void written(ObjectNode object) {
        if (Objects.version(object) > newest) {
            put(object, false);
        }
    }

    Optional<ObjectNode> get(String key) {
        return Optional.ofNullable(objects.get(key));
    }

    /** A copy, in the order of names. */
    ImmutableList<ObjectNode> all() {
        return ImmutableList.copyOf(objects.values());
    }

    private void put(ObjectNode object, boolean deleted) {
        String key = key(object);
        ObjectNode before = objects.get(key);
        boolean known = before != null && Objects.version(before) >= Objects.version(object);
        if ((before == null && deleted) || (known && !deleted)) {
            return;
        }
        if (before != null) {
            indexes.forEach(index -> index.remove(key, before));
        }
        if (deleted) {
            objects.remove(key);
        } else {
            objects.put(key, object);
            indexes.forEach(index -> index.add(key, object));
        }
        Optional<ObjectNode> after = deleted ? Optional.empty() : Optional.of(object);
        listeners.forEach(listener -> listener.changed(Optional.ofNullable(before), after));
    }
}
