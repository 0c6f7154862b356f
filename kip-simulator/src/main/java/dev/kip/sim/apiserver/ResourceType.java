package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;

/**
 * A kind of object that the server serves, as discovery shows it.
 *
 * @param group empty for the core group
 * @param verbs for example {@code get}, {@code list}, {@code create}; in the order in which discovery lists them
 */
public record ResourceType(
        String group,
        String version,
        String kind,
        String plural,
        String singular,
        boolean namespaced,
        ImmutableList<String> shortNames,
        ImmutableList<String> categories,
        ImmutableList<String> verbs,
        ImmutableList<Subresource> subresources) {

    /**
     * A subresource.
     *
     * @param name for example {@code status}
     * @param group of the kind that its bodies have; empty for core
     */
    public record Subresource(String name, String group, String version, String kind, ImmutableList<String> verbs) {}

    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }
}
