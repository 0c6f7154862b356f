package dev.kip.kube;

import static java.util.Objects.requireNonNull;

/**
 * A kind of object and how its JSON becomes a value.
 *
 * @param group empty for the core group
 * @param plural the name in URLs, for example {@code pods}
 * @param codec decodes off the loop; may keep only what is needed of a large object
 */
public record ResourceKind<T>(
        String group, String version, String kind, String plural, boolean namespaced, Codec<T> codec) {

    public ResourceKind {
        requireNonNull(group);
        requireNonNull(version);
        requireNonNull(kind);
        requireNonNull(plural);
        requireNonNull(codec);
    }

    /** The same kind, read in another shape. */
    public <U> ResourceKind<U> as(Codec<U> other) {
        return new ResourceKind<>(group, version, kind, plural, namespaced, other);
    }

    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }
}
