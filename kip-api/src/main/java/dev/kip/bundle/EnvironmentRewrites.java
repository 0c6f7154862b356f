package dev.kip.bundle;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.net.HostAndPort;
import dev.kip.bundle.Reference.Kind;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Variables that come from API objects become plain values, in the order and with the precedence that kubelet gives them. */
public final class EnvironmentRewrites {

    private EnvironmentRewrites() {}

    /** At a container's {@code env}. */
    public static void env(Site site, Workpiece piece) {
        if (!(site.value() instanceof ArrayNode env)) {
            return;
        }
        ArrayNode plain = env.arrayNode();
        for (int i = 0; i < env.size(); i++) {
            JsonNode variable = env.get(i);
            String path = site.path() + "[" + i + "].valueFrom";
            if (variable.path("valueFrom").isObject() && variable instanceof ObjectNode object) {
                value(object, path, piece).ifPresent(plain::add);
            } else {
                plain.add(variable);
            }
        }
        site.parent().set(site.field(), plain);
    }

    /** The variable as it goes into the manifest; empty if an optional source is missing. */
    private static Optional<ObjectNode> value(ObjectNode variable, String path, Workpiece piece) {
        JsonNode source = variable.path("valueFrom");
        if (source.has("secretKeyRef")) {
            return key(variable, Kind.SECRET, source.path("secretKeyRef"), path + ".secretKeyRef", piece);
        }
        if (source.has("configMapKeyRef")) {
            return key(variable, Kind.CONFIG_MAP, source.path("configMapKeyRef"), path + ".configMapKeyRef", piece);
        }
        String fieldPath = source.path("fieldRef").path("fieldPath").asString("");
        Optional<String> replaced = piece.destination().variable(piece.original(), fieldPath);
        return Optional.of(replaced.map(value -> literal(variable, value)).orElse(variable));
    }

    private static Optional<ObjectNode> key(
            ObjectNode variable, Kind kind, JsonNode selector, String path, Workpiece piece) {
        Reference reference = BundleBuilder.reference(kind, selector.path("name"), selector);
        Optional<ObjectNode> object = piece.material(reference, path);
        if (object.isEmpty()) {
            return Optional.empty();
        }
        String key = selector.path("key").asString("");
        Optional<byte[]> value = new Payload(kind, object.get()).get(key);
        if (value.isEmpty() && !reference.optional()) {
            piece.refuse(
                    Refusal.Kind.MISSING,
                    path,
                    "couldn't find key " + key + " in " + kind.text() + " \"" + reference.name() + "\"");
        }
        return value.map(bytes -> literal(variable, new String(bytes, StandardCharsets.UTF_8)));
    }

    /** At a container's {@code envFrom}: its variables come before those of {@code env}, which override them. */
    public static void envFrom(Site site, Workpiece piece) {
        Map<String, String> variables = new LinkedHashMap<>();
        JsonNode sources = site.value();
        for (int i = 0; i < sources.size(); i++) {
            String path = site.path() + "[" + i + "]";
            String prefix = sources.get(i).path("prefix").asString("");
            read(sources.get(i), Kind.CONFIG_MAP, "configMapRef", prefix, path, piece, variables);
            read(sources.get(i), Kind.SECRET, "secretRef", prefix, path, piece, variables);
        }
        site.remove();
        if (variables.isEmpty()) {
            return;
        }
        ArrayNode env = site.parent().arrayNode();
        variables.forEach((name, value) -> env.add(literal(env.objectNode().put("name", name), value)));
        site.parent().path("env").forEach(env::add);
        site.parent().set("env", env);
    }

    /**
     * At {@code spec}: what kubelet tells of the service {@code kubernetes}, without which no client of the API server finds
     * it. The pod's own variables come after, and override.
     */
    public static void apiServer(Site site, Workpiece piece) {
        Optional<HostAndPort> server = piece.destination().apiServer();
        if (server.isEmpty()) {
            return;
        }
        String host = server.get().getHost();
        String port = Integer.toString(server.get().getPort());
        ImmutableMap<String, String> variables = ImmutableMap.of(
                "KUBERNETES_SERVICE_HOST", host,
                "KUBERNETES_SERVICE_PORT", port,
                "KUBERNETES_SERVICE_PORT_HTTPS", port);
        for (String field : ImmutableList.of("containers", "initContainers")) {
            for (JsonNode container : site.value().path(field)) {
                if (container instanceof ObjectNode object) {
                    ArrayNode env = object.arrayNode();
                    variables.forEach((name, value) ->
                            env.add(object.objectNode().put("name", name).put("value", value)));
                    object.path("env").forEach(env::add);
                    object.set("env", env);
                }
            }
        }
    }

    private static void read(
            JsonNode source,
            Kind kind,
            String field,
            String prefix,
            String path,
            Workpiece piece,
            Map<String, String> variables) {
        @Nullable JsonNode selector = source.get(field);
        if (selector == null || selector.isNull()) {
            return;
        }
        Reference reference = BundleBuilder.reference(kind, selector.path("name"), selector);
        piece.material(reference, path + "." + field)
                .ifPresent(object -> new Payload(kind, object).all().forEach((key, value) -> {
                    String name = prefix + key;
                    if (name.indexOf('=') < 0) {
                        variables.put(name, new String(value, StandardCharsets.UTF_8));
                    }
                }));
    }

    /** Kubelet expands {@code $(NAME)} in plain values, but not in those of secrets and config maps: so it is escaped. */
    private static ObjectNode literal(ObjectNode variable, String value) {
        ObjectNode plain = variable.deepCopy();
        plain.remove("valueFrom");
        plain.put("value", value.replace("$", "$$"));
        return plain;
    }
}
