package dev.kip.checkpointer.generation;

import dev.kip.checkpointer.generation.Stored.Active;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The manifests in kubelet's directory, as bytes. */
final class Manifests {

    static final String GENERATION = "kip.elotl.co/checkpoint-generation";
    static final String NODE = "kip.elotl.co/checkpoint-node";
    static final String CHECKPOINTER = "kip.elotl.co/checkpoint-checkpointer";
    static final String CHECKPOINT_OF = "checkpointer.alpha.coreos.com/checkpoint-of";
    private static final String ATTEMPT = "kip.elotl.co/checkpoint-attempt";

    private Manifests() {}

    /** @param attempt a new number makes kubelet take it for a new pod, and judge it again */
    static byte[] render(Generation generation, int attempt) {
        ObjectNode manifest = generation.manifest().deepCopy();
        ObjectNode annotations = child(child(manifest, "metadata"), "annotations");
        annotations.put(GENERATION, generation.id());
        annotations.put(NODE, generation.origin().node());
        annotations.put(CHECKPOINTER, generation.origin().checkpointer());
        if (attempt > 0) {
            annotations.put(ATTEMPT, Integer.toString(attempt));
        }
        return Trees.bytes(manifest);
    }

    static Active describe(byte[] manifest) {
        return new Active(annotation(manifest, GENERATION).orElse(""), Envelope.digest(manifest));
    }

    static Optional<String> annotation(byte[] manifest, String key) {
        try {
            JsonNode value =
                    Trees.object(manifest).path("metadata").path("annotations").path(key);
            return value.isString() ? Optional.of(value.stringValue()) : Optional.empty();
        } catch (JacksonException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether another program's manifest is the checkpoint of this pod, as the original marks them. */
    static boolean isCheckpointOf(byte[] manifest, PodKey key) {
        if (!new String(manifest, StandardCharsets.UTF_8).contains(CHECKPOINT_OF)) {
            return false;
        }
        try {
            JsonNode metadata = Trees.object(manifest).path("metadata");
            return metadata.path("annotations").path(CHECKPOINT_OF).asString("").equals(key.name())
                    && metadata.path("namespace").asString("").equals(key.namespace());
        } catch (JacksonException | IllegalArgumentException e) {
            return false;
        }
    }

    private static ObjectNode child(ObjectNode parent, String field) {
        return parent.get(field) instanceof ObjectNode object ? object : parent.putObject(field);
    }
}
