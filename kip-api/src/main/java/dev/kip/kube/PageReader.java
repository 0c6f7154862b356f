package dev.kip.kube;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads one list. An item is decoded and forgotten before the next is read. */
final class PageReader<T> {

    private static final ObjectReader PART =
            KubeJson.MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final ResourceKind<T> kind;
    private final ImmutableList.Builder<T> items = ImmutableList.builder();
    private final ImmutableList.Builder<Page.Refused> refused = ImmutableList.builder();
    private JsonNode metadata = MissingNode.getInstance();
    private String kindFound = "";
    private boolean itemsFound;

    PageReader(ResourceKind<T> kind) {
        this.kind = kind;
    }

    /** @throws tools.jackson.core.JacksonException if this is not one whole JSON object */
    void read(byte[] json) {
        try (JsonParser parser = KubeJson.MAPPER.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new StreamReadException(parser, "no object");
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("items")) {
                    items(parser, value);
                } else if (field.equals("metadata")) {
                    metadata = PART.readTree(parser);
                } else if (field.equals("kind")) {
                    kindFound = parser.getString();
                } else {
                    parser.skipChildren();
                }
            }
            if (parser.nextToken() != null) {
                throw new StreamReadException(parser, "more follows the object");
            }
        }
    }

    String kindFound() {
        return kindFound;
    }

    /** Empty if there were no items: then it was no list. */
    Optional<Page<T>> found() {
        return itemsFound
                ? Optional.of(new Page<>(
                        items.build(),
                        refused.build(),
                        metadata.path("resourceVersion").asString(""),
                        metadata.path("continue").asString("")))
                : Optional.empty();
    }

    private void items(JsonParser parser, JsonToken value) {
        // Go writes an empty list as null here and there.
        itemsFound = value == JsonToken.START_ARRAY || value == JsonToken.VALUE_NULL;
        if (value != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            item(PART.readTree(parser));
        }
    }

    private void item(JsonNode item) {
        if (!(item instanceof ObjectNode object)) {
            refused.add(new Page.Refused(KubeJson.refOf(item), "wanted an object, found " + item.getNodeType()));
            return;
        }
        ObjectRef ref = KubeJson.refOf(item);
        try {
            items.add(Bodies.decode(kind, object));
        } catch (RuntimeException e) {
            refused.add(new Page.Refused(ref, String.valueOf(e.getMessage())));
        }
    }
}
