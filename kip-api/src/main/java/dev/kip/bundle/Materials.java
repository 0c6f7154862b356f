package dev.kip.bundle;

import com.google.common.collect.ImmutableMap;
import com.google.common.net.HostAndPort;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The objects that a pod refers to, by name, as the API server gave them; what does not exist is not in here.
 *
 * @param tokens of the pod's service account
 * @param apiServer where the pod finds the API server; empty if it is not told
 */
public record Materials(
        ImmutableMap<String, ObjectNode> secrets,
        ImmutableMap<String, ObjectNode> configMaps,
        ImmutableMap<TokenReference, String> tokens,
        Optional<HostAndPort> apiServer) {

    /** Of a pod without tokens that is not told where the API server is. */
    public Materials(ImmutableMap<String, ObjectNode> secrets, ImmutableMap<String, ObjectNode> configMaps) {
        this(secrets, configMaps, ImmutableMap.of(), Optional.empty());
    }

    public static Materials none() {
        return new Materials(ImmutableMap.of(), ImmutableMap.of());
    }

    Optional<ObjectNode> find(Reference.Kind kind, String name) {
        return Optional.ofNullable((kind == Reference.Kind.SECRET ? secrets : configMaps).get(name));
    }
}
