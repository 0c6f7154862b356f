package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ResourceType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the API server holds, kept up to date by its changes, for words and invariants to look at. */
final class Mirror {

    private final ApiClient client;
    private final Listener onChange;
    private final Map<String, Kind> kinds = new LinkedHashMap<>();
    private long version;

    Mirror(ApiClient client, Listener onChange) {
        this.client = client;
        this.onChange = onChange;
    }

    /** Hears of each change. */
    interface Listener {
        /** @param kind as words name it */
        void changed(String event, String kind, ObjectNode object);
    }

    /** @param word lower-case singular, as words of scenarios name it */
    void follow(String word, String group, String plural) {
        ResourceType type = client.resource(group, plural);
        Kind kind = new Kind();
        kinds.put(word, kind);
        client.list(type, "").forEach(kind::put);
        client.onChange(type, (event, object) -> {
            version++;
            if (event.equals("DELETED")) {
                kind.remove(object);
            } else {
                kind.put(object);
            }
            onChange.changed(event, word, object);
        });
    }

    ImmutableList<ObjectNode> objects(String word) {
        return kind(word).all();
    }

    long version() {
        return version;
    }

    private Kind kind(String word) {
        Kind kind = kinds.get(word);
        if (kind == null) {
            throw new IllegalArgumentException("this world does not follow \"" + word + "\"");
        }
        return kind;
    }

    private static final class Kind {

        private final Map<String, ObjectNode> objects = new TreeMap<>();
        private ImmutableList<ObjectNode> all = ImmutableList.of();
        private boolean stale = true;

        void put(ObjectNode object) {
            objects.put(key(object), object);
            stale = true;
        }

        void remove(ObjectNode object) {
            objects.remove(key(object));
            stale = true;
        }

        ImmutableList<ObjectNode> all() {
            if (stale) {
                all = ImmutableList.copyOf(objects.values());
                stale = false;
            }
            return all;
        }

        private static String key(ObjectNode object) {
            JsonNode metadata = object.path("metadata");
            return metadata.path("namespace").asString("") + "/"
                    + metadata.path("name").asString("");
        }
    }
}
