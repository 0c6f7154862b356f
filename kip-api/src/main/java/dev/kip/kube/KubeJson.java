package dev.kip.kube;

import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** JSON of the wire, as trees. Numbers keep their digits, so that an object read and written again is unchanged. */
final class KubeJson {

    static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private KubeJson() {}

    /** The object in {@code bytes}, or empty if they hold anything else, or more than it. */
    static Optional<ObjectNode> object(byte[] bytes) {
        try {
            return MAPPER.readTree(bytes) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    static Optional<ObjectNode> child(JsonNode parent, String field) {
        return parent.get(field) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
    }

    static ObjectRef refOf(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return new ObjectRef(
                metadata.path("namespace").asString(""), metadata.path("name").asString("?"));
    }

    /** The start of an unreadable body, for a message: one line, printable. */
    static String excerpt(byte[] bytes) {
        String start =
                new String(bytes, 0, Math.min(bytes.length, 160), java.nio.charset.StandardCharsets.UTF_8).strip();
        String line = start.replaceAll("\\s+", " ").replaceAll("\\p{Cntrl}", "?");
        return bytes.length == 0 ? "an empty body" : "\"" + line + (bytes.length > 160 ? "…" : "") + "\"";
    }
}
