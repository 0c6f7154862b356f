package dev.kip.crd;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.fabric8.generator.annotation.Required;

/**
 * What we read and write of {@code metadata}.
 *
 * @param uid empty before the API server has assigned one
 * @param resourceVersion opaque; empty before the first write
 */
public record ObjectMetadata(
        @Required String name,
        String uid,
        String resourceVersion,
        ImmutableMap<String, String> labels,
        ImmutableMap<String, String> annotations,
        ImmutableList<String> finalizers) {

    public static ObjectMetadata named(String name) {
        return new ObjectMetadata(name, "", "", ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of());
    }
}
