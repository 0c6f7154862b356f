package dev.kip.crd;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.fabric8.generator.annotation.Required;

/**
 * What we read and write of {@code metadata}.
 *
 * @param uid empty before the API server has assigned one
 * @param resourceVersion opaque; empty before the first write
 * @param deletionTimestamp when its deletion was asked for; empty if it was not
 */
public record ObjectMetadata(
        @Required String name,
        String uid,
        String resourceVersion,
        String deletionTimestamp,
        ImmutableMap<String, String> labels,
        ImmutableMap<String, String> annotations,
        ImmutableList<String> finalizers) {

    /** Of an object that was seen. */
    public static ObjectMetadata of(String name, String uid) {
        return new ObjectMetadata(name, uid, "", "", ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of());
    }

    public static ObjectMetadata named(String name) {
        return new ObjectMetadata(name, "", "", "", ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of());
    }

    /** For an object that is created again under the same name. */
    public ObjectMetadata anew() {
        return new ObjectMetadata(name, "", "", "", labels, annotations, ImmutableList.of());
    }

    /** Its deletion was asked for; it stays until its finalizers are gone. */
    public boolean deleting() {
        return !deletionTimestamp.isEmpty();
    }

    /** With this annotation in the place of the one of its name. */
    public ObjectMetadata withAnnotation(String key, String value) {
        return new ObjectMetadata(
                name,
                uid,
                resourceVersion,
                deletionTimestamp,
                labels,
                ImmutableMap.<String, String>builder()
                        .putAll(annotations)
                        .put(key, value)
                        .buildKeepingLast(),
                finalizers);
    }

    public ObjectMetadata withFinalizer(String finalizer) {
        return finalizers.contains(finalizer)
                ? this
                : new ObjectMetadata(
                        name,
                        uid,
                        resourceVersion,
                        deletionTimestamp,
                        labels,
                        annotations,
                        ImmutableList.<String>builder()
                                .addAll(finalizers)
                                .add(finalizer)
                                .build());
    }

    public ObjectMetadata withoutFinalizer(String finalizer) {
        return new ObjectMetadata(
                name,
                uid,
                resourceVersion,
                deletionTimestamp,
                labels,
                annotations,
                finalizers.stream().filter(other -> !other.equals(finalizer)).collect(ImmutableList.toImmutableList()));
    }
}
