package dev.kip.sim.apiserver.store;

import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One object as it stood at one revision. The tree is shared by everyone who reads it and must never be modified: take
 * {@link ObjectNode#deepCopy} to change it. Confined to the server's loop.
 */
public final class Versioned {

    private final String key;
    private final ObjectNode object;
    private final long revision;
    private byte @Nullable [] json;
    private @Nullable Versioned converted;
    private @Nullable UnaryOperator<ObjectNode> convertedBy;

    Versioned(String key, ObjectNode object, long revision) {
        this.key = key;
        this.object = object;
        this.revision = revision;
    }

    /** An object that is not stored: what a dry run would have made. */
    public static Versioned draft(String key, ObjectNode object) {
        return new Versioned(
                key, object, object.path("metadata").path("resourceVersion").asLong(0));
    }

    /** {@code namespace/name}, or {@code name} for a cluster-scoped object. */
    public String key() {
        return key;
    }

    public ObjectNode object() {
        return object;
    }

    /** The revision of the change that made it so. */
    public long revision() {
        return revision;
    }

    /** The object as JSON, encoded once. Not to be modified. */
    public byte[] json() {
        byte[] encoded = json;
        if (encoded == null) {
            encoded = object.toString().getBytes(StandardCharsets.UTF_8);
            json = encoded;
        }
        return encoded;
    }

    /**
     * The same state in another API version. The last one asked for is remembered, so that readers share it.
     *
     * @param convert must not change its argument; results are shared by the identity of this function
     */
    public Versioned as(UnaryOperator<ObjectNode> convert) {
        Versioned last = converted;
        if (last == null || convertedBy != convert) {
            last = new Versioned(key, convert.apply(object), revision);
            converted = last;
            convertedBy = convert;
        }
        return last;
    }

    /** The same content under the revision of a later change, as DELETED events carry it. */
    public Versioned at(long laterRevision) {
        return new Versioned(key, stamped(object, laterRevision), laterRevision);
    }

    /** A copy of the top two levels, so that the version can differ while the rest stays shared. */
    private static ObjectNode stamped(ObjectNode object, long revision) {
        ObjectNode copy = object.objectNode();
        copy.setAll(object);
        ObjectNode metadata = object.objectNode();
        if (object.get("metadata") instanceof ObjectNode old) {
            metadata.setAll(old);
        }
        metadata.put("resourceVersion", Long.toString(revision));
        copy.set("metadata", metadata);
        return copy;
    }
}
