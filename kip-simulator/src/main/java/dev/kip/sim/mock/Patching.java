package dev.kip.sim.mock;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.Failures;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.apiserver.patch.JsonPatch;
import dev.kip.sim.apiserver.patch.MergePatch;
import dev.kip.sim.apiserver.patch.StrategicMergePatch;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The three kinds of patch; fabric8's dispatcher takes a strategic one for a merge patch, which loses items of lists. */
final class Patching {

    private Patching() {}

    static ObjectNode apply(ResourceType type, String contentType, ObjectNode present, JsonNode patch) {
        String media = contentType.replaceFirst(";.*", "").strip();
        return switch (media) {
            case "application/merge-patch+json" -> (ObjectNode) MergePatch.apply(present.deepCopy(), patch);
            case "application/json-patch+json" -> (ObjectNode) JsonPatch.apply(present.deepCopy(), patch);
            case "application/strategic-merge-patch+json" ->
                StrategicMergePatch.apply(type.kind(), present.deepCopy(), (ObjectNode) patch);
            default ->
                throw Failures.unsupportedMediaType(ImmutableList.of(
                        "application/json-patch+json",
                        "application/merge-patch+json",
                        "application/strategic-merge-patch+json"));
        };
    }
}
