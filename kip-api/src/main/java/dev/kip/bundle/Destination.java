package dev.kip.bundle;

import com.google.common.net.HostAndPort;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Where a self-contained pod is to run: what differs between a cell and a checkpoint. */
public interface Destination {

    /** For messages: "to a cell". */
    String name();

    /** The object that the pod refers to, as the API server gave it. */
    Optional<ObjectNode> find(Reference reference);

    /** The host's directory that stands for a volume. */
    String directory(String volume);

    /** Of the hostPath volume: {@code Directory} or {@code DirectoryOrCreate}. */
    String directoryType();

    /** A volume that becomes a directory, though it may stay empty. */
    void volume(String volume);

    /**
     * A file of a volume; a later one of the same path replaces it, as in a projected volume.
     *
     * @param path relative to the volume
     * @param mode as the volume asks for
     */
    void file(String volume, String path, byte[] content, int mode);

    /** What a variable's {@code fieldRef} must be replaced by, because kubelet would give another value. */
    Optional<String> variable(ObjectNode pod, String fieldPath);

    /** Whether kubelet would give another value than the pod's for this field in a downward API volume. */
    boolean differs(String fieldPath);

    /** What a downward API item of a projected volume says. */
    Optional<String> item(ObjectNode pod, String fieldPath);

    /** Where the pod finds the API server; empty if it is not told. */
    default Optional<HostAndPort> apiServer() {
        return Optional.empty();
    }

    /** A projected source that is no secret, config map or downward API: a token, say. Refuses what it cannot carry. */
    void source(String volume, String kind, JsonNode source, int defaultMode, String path, Workpiece piece);
}
