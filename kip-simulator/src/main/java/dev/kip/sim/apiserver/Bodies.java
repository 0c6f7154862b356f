package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.WriteContext.FieldValidation;
import dev.kip.sim.apiserver.kinds.CustomResources;
import dev.kip.sim.apiserver.protobuf.ProtobufBodies;
import dev.kip.sim.apiserver.schema.Findings;
import dev.kip.sim.apiserver.schema.Mismatch;
import dev.kip.sim.apiserver.schema.ModelFields;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads request bodies and fits them to their kind. */
final class Bodies {

    static final ImmutableList<String> OBJECT_TYPES =
            ImmutableList.of("application/json", "application/yaml", ProtobufBodies.CONTENT_TYPE, "application/cbor");

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final YAMLMapper YAML = YAMLMapper.builder().build();
    private static final ModelFields METADATA = ModelFields.ofMetadata();

    private Bodies() {}

    /** The tree of a JSON, YAML or protobuf body; a field that comes twice counts with its last value, and is found. */
    static ObjectNode object(byte[] body, String contentType, String kind, Findings findings) {
        String type = mediaType(contentType);
        if (type.equals(ProtobufBodies.CONTENT_TYPE)) {
            return ProtobufBodies.toJson(body);
        }
        if (type.equals("application/yaml")) {
            return asObject(read(body, kind, true), kind);
        }
        // PUT of scale comes without a content type (kubectl scale --current-replicas): JSON is what is assumed.
        if (!type.isEmpty() && !type.equals("application/json")) {
            throw Failures.unsupportedMediaType(OBJECT_TYPES);
        }
        ObjectNode object = asObject(read(body, kind, false), kind);
        Duplicates.find(body, findings);
        return object;
    }

    /** A JSON body of any shape, such as a patch. */
    static JsonNode any(byte[] body, String what) {
        return read(body, what, false);
    }

    /** What is to be applied. */
    static ObjectNode applied(byte[] body, String kind) {
        try {
            return asObject(YAML.readTree(body), kind);
        } catch (JacksonException broken) {
            throw Failures.badRequest("error decoding YAML: " + broken.getOriginalMessage());
        }
    }

    static String mediaType(String contentType) {
        int semicolon = contentType.indexOf(';');
        return (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
                .trim()
                .toLowerCase(Locale.ROOT);
    }

    private static JsonNode read(byte[] body, String kind, boolean yaml) {
        try {
            return yaml ? YAML.readTree(body) : JSON.readTree(body);
        } catch (JacksonException broken) {
            throw Failures.badRequest("the object provided is unrecognized (must be of type " + kind
                    + "): couldn't get version/kind; json parse error: " + broken.getOriginalMessage() + " ("
                    + shortened(body) + ")");
        }
    }

    private static ObjectNode asObject(JsonNode node, String kind) {
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw Failures.badRequest("the object provided is unrecognized (must be of type " + kind
                + "): couldn't get version/kind; json parse error: json: cannot unmarshal " + node.getNodeType()
                + " into Go value of type struct { APIVersion string; Kind string }");
    }

    private static String shortened(byte[] body) {
        String text = new String(body, 0, Math.min(body.length, 60), StandardCharsets.UTF_8);
        return text.replaceAll("\\s+", " ");
    }

    /**
     * Fits a tree to the resource's version: kind and version filled in or checked, unknown fields dropped, values of the
     * right type. What strict validation refuses is refused, or warned of.
     *
     * @return a tree of the caller's own
     */
    static ObjectNode fit(Resource resource, ObjectNode body, Findings findings, WriteContext context) {
        ResourceType type = resource.type();
        checkKind(resource, body);
        ObjectNode fitted;
        try {
            fitted = resource.model().isPresent()
                    ? resource.model().get().fit(body, "", findings)
                    : fitCustom(resource, body, findings);
        } catch (Mismatch mismatch) {
            throw undecodable(type, mismatch.text());
        }
        if (!findings.strict().isEmpty()) {
            if (context.validation() == FieldValidation.STRICT) {
                throw undecodable(type, "strict decoding error: " + String.join(", ", findings.strict()));
            }
            if (context.validation() == FieldValidation.WARN) {
                context.warnings().addAll(findings.strict());
            }
        }
        return ordered(type, fitted);
    }

    /** Kind and version first, as the server writes them. */
    private static ObjectNode ordered(ResourceType type, ObjectNode fitted) {
        ObjectNode result = fitted.objectNode();
        result.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        JsonNode metadata = fitted.path("metadata");
        result.set("metadata", metadata.isObject() ? metadata : fitted.objectNode());
        result.withObjectProperty("metadata").remove("selfLink");
        fitted.forEachEntry((name, value) -> {
            if (!result.has(name)) {
                result.set(name, value);
            }
        });
        return result;
    }

    private static ObjectNode fitCustom(Resource resource, ObjectNode body, Findings findings) {
        ObjectNode object = body.deepCopy();
        if (object.path("metadata") instanceof ObjectNode metadata) {
            object.set("metadata", METADATA.fit(metadata, "metadata", findings));
        }
        if (resource.strategy() instanceof CustomResources custom) {
            custom.schema().prune(object, findings);
        }
        return object;
    }

    private static void checkKind(Resource resource, ObjectNode body) {
        ResourceType type = resource.type();
        String kind = body.path("kind").asString("");
        String version = body.path("apiVersion").asString("");
        if (resource.custom() && (kind.isEmpty() || version.isEmpty())) {
            throw Failures.badRequest(
                    "the object provided is unrecognized (must be of type " + type.kind() + "): Object '"
                            + (kind.isEmpty() ? "Kind" : "apiVersion") + "' is missing in '" + body + "' ("
                            + shortened(body.toString().getBytes(StandardCharsets.UTF_8)) + ")");
        }
        if (!kind.isEmpty() && !kind.equals(type.kind())) {
            String bare = version.substring(version.indexOf('/') + 1);
            throw Failures.badRequest(kind + " in version \"" + bare + "\" cannot be handled as a " + type.kind()
                    + ": converting (" + bare + "." + kind + ") to (core." + type.kind() + "): unknown conversion");
        }
        if (!version.isEmpty() && !version.equals(type.apiVersion())) {
            throw Failures.badRequest("the API version in the data (" + version
                    + ") does not match the expected API version (" + type.apiVersion() + ")");
        }
    }

    private static ApiFailure undecodable(ResourceType type, String why) {
        return Failures.badRequest(type.kind() + " in version \"" + type.version() + "\" cannot be handled as a "
                + type.kind() + ": " + why);
    }

    /** Finds names that come twice in one object, which a tree no longer shows. */
    private static final class Duplicates {

        private Duplicates() {}

        static void find(byte[] body, Findings findings) {
            try (JsonParser parser = JSON.createParser(body)) {
                parser.nextToken();
                object(parser, "", findings);
            }
        }

        private static void object(JsonParser parser, String path, Findings findings) {
            java.util.Set<String> names = new java.util.LinkedHashSet<>();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                String at = path.isEmpty() ? name : path + "." + name;
                if (!names.add(name)) {
                    findings.duplicateField(at);
                }
                value(parser, at, findings);
            }
        }

        private static void value(JsonParser parser, String path, Findings findings) {
            JsonToken token = parser.nextToken();
            if (token == JsonToken.START_OBJECT) {
                object(parser, path, findings);
            } else if (token == JsonToken.START_ARRAY) {
                array(parser, path, findings);
            }
        }

        private static void array(JsonParser parser, String path, Findings findings) {
            int index = 0;
            for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                String at = path + "[" + index++ + "]";
                if (token == JsonToken.START_OBJECT) {
                    object(parser, at, findings);
                } else if (token == JsonToken.START_ARRAY) {
                    array(parser, at, findings);
                }
            }
        }
    }
}
