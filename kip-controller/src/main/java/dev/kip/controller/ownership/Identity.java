package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the anchor says of an installation: who it is, where it belongs, and its keys. Pure.
 *
 * @param clusterUid uid of the kube-system of the cluster that it is in
 * @param account empty if it was not known
 * @param installation name of the Installation object
 * @param keys as in the Secret's {@code data}
 * @param createdAt for people
 */
public record Identity(
        String installationId,
        String clusterUid,
        String account,
        String region,
        String vpc,
        String installation,
        ImmutableMap<String, String> keys,
        String createdAt) {

    public String toJson() {
        ObjectNode json = JsonMapper.shared().createObjectNode();
        json.put("installationID", installationId);
        json.put("clusterUID", clusterUid);
        json.put("account", account);
        json.put("region", region);
        json.put("vpc", vpc);
        json.put("installation", installation);
        json.put("createdAt", createdAt);
        ObjectNode data = json.putObject("keys");
        keys.forEach(data::put);
        return json.toString();
    }

    /** Empty if it is not one. */
    public static Optional<Identity> parse(String content) {
        JsonNode json;
        try {
            json = JsonMapper.shared().readTree(content);
        } catch (JacksonException e) {
            return Optional.empty();
        }
        String id = json.path("installationID").asString("");
        if (id.isEmpty()) {
            return Optional.empty();
        }
        ImmutableMap.Builder<String, String> keys = ImmutableMap.builder();
        json.path("keys")
                .properties()
                .forEach(entry -> keys.put(entry.getKey(), entry.getValue().asString("")));
        return Optional.of(new Identity(
                id,
                json.path("clusterUID").asString(""),
                json.path("account").asString(""),
                json.path("region").asString(""),
                json.path("vpc").asString(""),
                json.path("installation").asString(""),
                keys.buildOrThrow(),
                json.path("createdAt").asString("")));
    }

    /** Keys are not for logs. */
    @Override
    public String toString() {
        return "Identity[" + installationId + ", cluster " + clusterUid + ", account " + account + ", region " + region
                + ", vpc " + vpc + "]";
    }
}
