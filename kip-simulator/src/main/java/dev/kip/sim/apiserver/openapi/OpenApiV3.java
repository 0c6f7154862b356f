package dev.kip.sim.apiserver.openapi;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.apiserver.discovery.Document;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers {@code /openapi/v3} and what lies below it, and {@code /openapi/v2}. A document has, per kind, the PATCH
 * operation by which kubectl learns that the server checks fields itself, and the schema that {@code kubectl explain}
 * prints. It names no request bodies on purpose: kubectl then merges by the types compiled into it, which know the merge
 * keys. Confined to the server's loop.
 */
public final class OpenApiV3 {

    /** Content type of {@link #v2()}. */
    public static final String V2_CONTENT_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final ModelSchemas models = new ModelSchemas();
    /** Documents by what they were made of, so that a new CRD costs only the document of its own group-version. */
    private final Map<Source, Built> built = new LinkedHashMap<>();

    private ImmutableMap<String, Built> served = ImmutableMap.of();
    private String index = "";
    private String indexDigest = "";

    private record Source(List<ResourceType> types, List<Optional<ObjectNode>> schemas) {}

    private record Built(String body, String digest) {}

    /**
     * Serves these types from now on.
     *
     * @param schemas the {@code openAPIV3Schema} of a type that comes from a CRD; empty for built-in types
     */
    public void serve(Collection<ResourceType> types, Function<ResourceType, Optional<ObjectNode>> schemas) {
        Map<String, List<ResourceType>> byPath = new LinkedHashMap<>();
        types.forEach(type ->
                byPath.computeIfAbsent(path(type), path -> new ArrayList<>()).add(type));
        ImmutableMap.Builder<String, Built> documents = ImmutableMap.builder();
        ObjectNode root = JSON.objectNode();
        ObjectNode paths = root.putObject("paths");
        byPath.forEach((path, ofPath) -> {
            Source source = new Source(ofPath, ofPath.stream().map(schemas).toList());
            Built document = built.computeIfAbsent(source, this::build);
            documents.put(path, document);
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + document.digest());
        });
        served = documents.buildOrThrow();
        built.values().retainAll(served.values());
        index = root.toString();
        indexDigest = Document.digest(index);
    }

    /**
     * Answers a GET of {@code /openapi/v3} or {@code /openapi/v3/...}.
     *
     * @param hash the query parameter of that name; with it the answer may be cached for ever
     * @return empty if that group-version is not served, which is a 404
     */
    public Optional<Document> answer(String path, Optional<String> hash, Optional<String> ifNoneMatch) {
        String below = path.replaceFirst("^/openapi/v3/?", "").replaceFirst("/$", "");
        if (below.isEmpty()) {
            return Optional.of(document(index, indexDigest, false, ifNoneMatch));
        }
        return Optional.ofNullable(served.get(below))
                .map(document -> document(
                        document.body(),
                        document.digest(),
                        hash.filter(document.digest()::equals).isPresent(),
                        ifNoneMatch));
    }

    /** The smallest OpenAPI v2 document that kubectl 1.27 and 1.28 take: no paths, no definitions; in protobuf. */
    public static byte[] v2() {
        return new byte[] {0x0A, 3, '2', '.', '0', 0x12, 6, 0x0A, 1, 'k', 0x12, 1, 'v', 0x42, 0, 0x4A, 0};
    }

    private static Document document(String body, String digest, boolean forEver, Optional<String> ifNoneMatch) {
        ImmutableMap<String, String> headers = ImmutableMap.of(
                "Content-Type",
                "application/json",
                "ETag",
                "\"" + digest + "\"",
                "Vary",
                "Accept",
                "Cache-Control",
                forEver ? "public, immutable" : "no-cache, private");
        boolean same = ifNoneMatch.filter(tags -> tags.contains(digest)).isPresent();
        return same ? new Document(304, headers, "") : new Document(200, headers, body);
    }

    private static String path(ResourceType type) {
        return (type.group().isEmpty() ? "api/" : "apis/" + type.group() + "/") + type.version();
    }

    private Built build(Source source) {
        ObjectNode root = JSON.objectNode().put("openapi", "3.0.0");
        root.putObject("info").put("title", "Kubernetes").put("version", "v1.34.4");
        ObjectNode paths = root.putObject("paths");
        ObjectNode schemas = root.putObject("components").putObject("schemas");
        for (int i = 0; i < source.types().size(); i++) {
            ResourceType type = source.types().get(i);
            String object = "/" + path(type) + (type.namespaced() ? "/namespaces/{namespace}/" : "/") + type.plural()
                    + "/{name}";
            ObjectNode patch = paths.putObject(object).putObject("patch");
            patch.putArray("parameters")
                    .addObject()
                    .put("name", "fieldValidation")
                    .put("in", "query");
            patch.put("x-kubernetes-action", "patch");
            patch.set("x-kubernetes-group-version-kind", kind(type));
            Optional<ObjectNode> custom = source.schemas().get(i);
            String name = custom.isPresent()
                    ? type.group() + "." + type.version() + "." + type.kind()
                    : models.addTo(schemas, type);
            ObjectNode schema = custom.map(given -> custom(given, schemas))
                    .or(() -> Optional.ofNullable((ObjectNode) schemas.get(name)))
                    .orElseGet(() -> JSON.objectNode().put("type", "object"));
            schema.putArray("x-kubernetes-group-version-kind").add(kind(type));
            schemas.set(name, schema);
        }
        String body = root.toString();
        return new Built(body, Document.digest(body));
    }

    private ObjectNode custom(ObjectNode given, ObjectNode schemas) {
        ObjectNode schema = given.deepCopy();
        ObjectNode properties = schema.withObjectProperty("properties");
        properties.putObject("apiVersion").put("type", "string");
        properties.putObject("kind").put("type", "string");
        properties.putObject("metadata").putArray("allOf").addObject().put("$ref", models.metadata(schemas));
        return schema;
    }

    private static ObjectNode kind(ResourceType type) {
        return JSON.objectNode()
                .put("group", type.group())
                .put("version", type.version())
                .put("kind", type.kind());
    }
}
