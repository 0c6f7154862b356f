package dev.kip.bundle;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The data of a secret or config map, by key in the keys' order. */
final class Payload {

    private final Map<String, byte[]> data = new TreeMap<>();

    /** @throws IllegalArgumentException if the server's base64 is broken */
    Payload(Reference.Kind kind, JsonNode object) {
        boolean encoded = kind == Reference.Kind.SECRET;
        for (Map.Entry<String, JsonNode> entry : object.path("data").properties()) {
            String value = entry.getValue().asString("");
            data.put(
                    entry.getKey(),
                    encoded ? Base64.getDecoder().decode(value) : value.getBytes(StandardCharsets.UTF_8));
        }
        for (Map.Entry<String, JsonNode> entry : object.path("binaryData").properties()) {
            data.put(entry.getKey(), Base64.getDecoder().decode(entry.getValue().asString("")));
        }
    }

    Optional<byte[]> get(String key) {
        return Optional.ofNullable(data.get(key));
    }

    Map<String, byte[]> all() {
        return data;
    }
}
