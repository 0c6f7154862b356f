package dev.kip.checkpointer.generation;

import com.google.common.hash.Hashing;
import dev.kip.checkpointer.sanitise.StaticPod;
import java.util.Base64;
import java.util.Comparator;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON trees that keep every digit, and digests that do not depend on the order of an object's fields. */
public final class Trees {

    private static final int SHORT = 16;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private Trees() {}

    public static ObjectNode empty() {
        return MAPPER.createObjectNode();
    }

    public static byte[] bytes(JsonNode tree) {
        return MAPPER.writeValueAsBytes(tree);
    }

    /**
     * @throws tools.jackson.core.JacksonException if it is no JSON
     * @throws IllegalArgumentException if it is no object
     */
    public static ObjectNode object(byte[] bytes) {
        if (MAPPER.readTree(bytes) instanceof ObjectNode object) {
            return object;
        }
        throw new IllegalArgumentException("no JSON object");
    }

    /** 16 hexadecimal digits: equal for equal trees, whatever the order of their fields. */
    public static String digest(JsonNode tree) {
        return Hashing.sha256().hashBytes(bytes(sorted(tree))).toString().substring(0, SHORT);
    }

    /** 16 hexadecimal digits over names, contents and access of a volume's files. */
    static String digest(StaticPod.Volume volume) {
        var hasher = Hashing.sha256().newHasher();
        volume.files().stream()
                .sorted(Comparator.comparing(StaticPod.File::path))
                .forEach(file -> {
                    byte[] path = file.path().getBytes(java.nio.charset.StandardCharsets.UTF_8);
                    byte[] content = Base64.getDecoder().decode(file.contentBase64());
                    hasher.putInt(path.length).putBytes(path);
                    hasher.putInt(content.length).putBytes(content);
                    hasher.putInt(file.mode()).putInt(file.uid()).putInt(file.gid());
                });
        return hasher.hash().toString().substring(0, SHORT);
    }

    private static JsonNode sorted(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            ObjectNode sorted = MAPPER.createObjectNode();
            object.properties().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(field -> sorted.set(field.getKey(), sorted(field.getValue())));
            return sorted;
        }
        if (tree instanceof ArrayNode array) {
            ArrayNode copy = MAPPER.createArrayNode();
            array.forEach(element -> copy.add(sorted(element)));
            return copy;
        }
        return tree;
    }
}
