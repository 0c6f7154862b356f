package dev.kip.controller.cells;

import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.Reference;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a bundle was made of. The cell keeps it and says it again: so a controller that is started anew knows whether
 * what the cell has is still so.
 *
 * @param content digest of the pod, as in {@link dev.kip.controller.store.PodFacts#content}
 * @param namespace of the objects
 * @param versions of the objects that the pod has mounted; empty for one that did not exist
 * @param renew when its tokens are old; empty if it has none
 */
public record Origin(
        String content, String namespace, ImmutableMap<ObjectKey, String> versions, Optional<Instant> renew) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** One object of the namespace. */
    public record ObjectKey(Reference.Kind kind, String name) {}

    /** As a bundle carries it. */
    public String text() {
        ObjectNode json = JSON.createObjectNode();
        json.put("content", content).put("namespace", namespace);
        renew.ifPresent(time -> json.put("renew", time.toString()));
        for (Reference.Kind kind : Reference.Kind.values()) {
            Map<String, String> named = new TreeMap<>();
            versions.forEach((key, version) -> {
                if (key.kind() == kind) {
                    named.put(key.name(), version);
                }
            });
            if (!named.isEmpty()) {
                ObjectNode entry = json.putObject(kind.text());
                named.forEach(entry::put);
            }
        }
        return json.toString();
    }

    /** Empty for what is none of ours: an older controller said nothing. */
    public static Optional<Origin> parse(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            JsonNode json = JSON.readTree(text);
            ImmutableMap.Builder<ObjectKey, String> versions = ImmutableMap.builder();
            for (Reference.Kind kind : Reference.Kind.values()) {
                for (Map.Entry<String, JsonNode> entry : json.path(kind.text()).properties()) {
                    versions.put(
                            new ObjectKey(kind, entry.getKey()),
                            entry.getValue().asString(""));
                }
            }
            String renew = json.path("renew").asString("");
            return Optional.of(new Origin(
                    json.path("content").asString(""),
                    json.path("namespace").asString(""),
                    versions.buildOrThrow(),
                    renew.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(renew))));
        } catch (JacksonException | DateTimeException broken) {
            return Optional.empty();
        }
    }
}
