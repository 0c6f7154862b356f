package dev.kip.checkpointer.standing;

import dev.kip.checkpointer.generation.Origin;
import dev.kip.checkpointer.generation.Origin.Controller;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.sanitise.CheckpointMarks;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A pod that asks to be checkpointed.
 *
 * @param version its resourceVersion
 * @param spec digest of its spec
 * @param ending it was told to end
 * @param pod every field of it
 */
public record Parent(
        PodKey key,
        String uid,
        String version,
        Optional<Controller> controller,
        String spec,
        boolean ending,
        ObjectNode pod) {

    public static final String CHECKPOINT = CheckpointMarks.WANTED;
    public static final String CHECKPOINT_OF = CheckpointMarks.OF;
    private static final String SOURCE = "kubernetes.io/config.source";
    private static final String MIRROR = "kubernetes.io/config.mirror";

    /** The pod as a parent; empty if it does not ask for a checkpoint, is static, or is a checkpoint itself. */
    public static Optional<Parent> of(ObjectNode pod) {
        JsonNode metadata = pod.path("metadata");
        JsonNode annotations = metadata.path("annotations");
        boolean asks = annotations.path(CHECKPOINT).asString("").equals("true");
        boolean isStatic = annotations.path(SOURCE).asString("").equals("file") || annotations.has(MIRROR);
        if (!asks || isStatic || annotations.has(CHECKPOINT_OF)) {
            return Optional.empty();
        }
        return Optional.of(new Parent(
                new PodKey(
                        metadata.path("namespace").asString("default"),
                        metadata.path("name").asString("")),
                metadata.path("uid").asString(""),
                metadata.path("resourceVersion").asString(""),
                Origin.controllerOf(pod),
                Trees.digest(pod.path("spec")),
                !metadata.path("deletionTimestamp").asString("").isEmpty(),
                pod));
    }

    @Override
    public String toString() {
        return "Parent[" + key + ", " + uid + "]";
    }
}
