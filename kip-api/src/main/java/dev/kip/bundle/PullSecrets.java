package dev.kip.bundle;

import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A pod's pull secrets as the one configuration of registries that a kubelet with no API server reads. */
final class PullSecrets {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private PullSecrets() {}

    /**
     * As docker's {@code config.json}. Of two secrets that name the same registry the first counts; kubelet with an API
     * server would try both. One that is missing or says nothing of registries is left out, as there.
     *
     * @return empty if no credentials are left
     */
    static Optional<byte[]> config(Workpiece piece) {
        ObjectNode config = JSON.createObjectNode();
        ObjectNode auths = config.putObject("auths");
        JsonNode named = piece.original().path("spec").path("imagePullSecrets");
        for (int i = 0; i < named.size(); i++) {
            Reference reference =
                    BundleBuilder.reference(Reference.Kind.SECRET, named.get(i).path("name"), named);
            String path = "spec.imagePullSecrets[" + i + "]";
            Optional<ObjectNode> secret = piece.destination().find(reference);
            if (secret.isEmpty()) {
                note(piece, path, "secret \"" + reference.name() + "\" not found");
                continue;
            }
            Optional<JsonNode> registries = registries(secret.get());
            if (registries.isEmpty()) {
                note(
                        piece,
                        path,
                        "secret \"" + reference.name() + "\" is of type "
                                + secret.get().path("type").asString("Opaque") + ", or not as that type is");
                continue;
            }
            for (Map.Entry<String, JsonNode> entry : registries.get().properties()) {
                if (!auths.has(entry.getKey())) {
                    auths.set(entry.getKey(), entry.getValue());
                }
            }
        }
        return auths.isEmpty() ? Optional.empty() : Optional.of(JSON.writeValueAsBytes(config));
    }

    private static void note(Workpiece piece, String path, String why) {
        piece.refuse(Refusal.Kind.NOTE, path, why + ": images are pulled without it");
    }

    /** By registry; empty if the secret is none of the two types, or broken. */
    private static Optional<JsonNode> registries(ObjectNode secret) {
        try {
            Payload payload = new Payload(Reference.Kind.SECRET, secret);
            Optional<JsonNode> found = switch (secret.path("type").asString("")) {
                case "kubernetes.io/dockerconfigjson" ->
                    payload.get(".dockerconfigjson")
                            .map(bytes -> JSON.readTree(bytes).path("auths"));
                case "kubernetes.io/dockercfg" -> payload.get(".dockercfg").map(JSON::readTree);
                default -> Optional.empty();
            };
            return found.filter(JsonNode::isObject);
        } catch (JacksonException | IllegalArgumentException broken) {
            return Optional.empty();
        }
    }
}
