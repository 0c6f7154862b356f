package dev.kip.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Objects;
import tools.jackson.databind.JsonNode;

/**
 * Which object, in which life and at which version.
 *
 * @param uid tells an object from a later one of the same name
 * @param resourceVersion opaque: compare for equality only
 */
public record ObjectKey(ObjectRef ref, String uid, String resourceVersion) {

    public static ObjectKey of(HasMetadata object) {
        ObjectMeta metadata = object.getMetadata();
        return new ObjectKey(
                new ObjectRef(
                        Objects.requireNonNullElse(metadata.getNamespace(), ""),
                        Objects.requireNonNullElse(metadata.getName(), "")),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""));
    }

    public static ObjectKey of(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return new ObjectKey(
                new ObjectRef(
                        metadata.path("namespace").asString(""),
                        metadata.path("name").asString("")),
                metadata.path("uid").asString(""),
                metadata.path("resourceVersion").asString(""));
    }
}
