package dev.kip.sim.apiserver.schema;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.ResourceType;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Quantity;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.ZonedDateTime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The fields of built-in kinds, read off the property names of the published models. */
public final class ModelFields {

    private static final String MODELS = "io.fabric8.kubernetes.api.model.";

    /** Where the models of a group live. */
    private static final ImmutableMap<String, String> PACKAGES = ImmutableMap.<String, String>builder()
            .put("", "")
            .put("apps", "apps.")
            .put("batch", "batch.")
            .put("policy", "policy.")
            .put("autoscaling", "autoscaling.")
            .put("certificates.k8s.io", "certificates.")
            .put("coordination.k8s.io", "coordination.")
            .put("rbac.authorization.k8s.io", "rbac.")
            .put("storage.k8s.io", "storage.")
            .put("scheduling.k8s.io", "scheduling.")
            .put("networking.k8s.io", "networking.")
            .put("discovery.k8s.io", "discovery.")
            .put("node.k8s.io", "node.")
            .put("events.k8s.io", "events.")
            .put("admissionregistration.k8s.io", "admissionregistration.")
            .put("apiextensions.k8s.io", "apiextensions.")
            .put("authentication.k8s.io", "authentication.")
            .put("authorization.k8s.io", "authorization.")
            .buildOrThrow();

    /** Types whose Go counterpart takes any JSON. */
    private static final ImmutableSet<String> FREE = ImmutableSet.of(
            "FieldsV1", "RawExtension", "JSONSchemaProps", "AnyType", "JSON", "GenericKubernetesResource");

    private static final ClassValue<ImmutableMap<String, Field>> FIELDS = new ClassValue<>() {
        @Override
        protected ImmutableMap<String, Field> computeValue(Class<?> model) {
            Map<String, Field> fields = new LinkedHashMap<>();
            collect(model, fields);
            return ImmutableMap.copyOf(fields);
        }
    };

    /** Looking for a class that is not there is slow, and every server asks for the same ones. */
    private static final Map<String, Optional<ModelFields>> KNOWN = Collections.synchronizedMap(new LinkedHashMap<>());

    private final Field root;

    private ModelFields(Class<?> model) {
        this.root = new Field.ObjectOf(model);
    }

    /** The field tree of a built-in kind; empty if there is no model of it. */
    public static Optional<ModelFields> of(ResourceType type) {
        return of(type.group(), type.version(), type.kind());
    }

    public static Optional<ModelFields> of(String group, String version, String kind) {
        String packageName = PACKAGES.get(group);
        if (packageName == null) {
            return Optional.empty();
        }
        return KNOWN.computeIfAbsent(
                group + "/" + version + "/" + kind,
                any -> model(packageName + version + "." + kind)
                        .or(() -> model(packageName + kind))
                        .map(ModelFields::new));
    }

    private static Optional<Class<?>> model(String name) {
        try {
            return Optional.of(Class.forName(MODELS + name, false, ModelFields.class.getClassLoader()));
        } catch (ClassNotFoundException elsewhere) {
            return Optional.empty();
        }
    }

    /** The field tree of {@code metadata} alone, for custom resources. */
    public static ModelFields ofMetadata() {
        return new ModelFields(ObjectMeta.class);
    }

    /**
     * Fits a body to the kind.
     *
     * @param path prefix of the field paths in what is found; empty for a whole object
     * @throws Mismatch if a value has the wrong type
     */
    public ObjectNode fit(ObjectNode body, String path, Findings findings) {
        return (ObjectNode) root.fit(body, Path.of(path), "", findings);
    }

    /** How server-side apply takes objects of the kind apart. */
    public Shape shape() {
        return new ModelShape(root, "");
    }

    static ImmutableMap<String, Field> of(Class<?> model) {
        return FIELDS.get(model);
    }

    private static void collect(Class<?> model, Map<String, Field> fields) {
        for (Class<?> type = model; type != null && type != Object.class; type = type.getSuperclass()) {
            for (var member : type.getDeclaredFields()) {
                JsonProperty property = member.getAnnotation(JsonProperty.class);
                if (member.getAnnotation(JsonUnwrapped.class) != null) {
                    collect(member.getType(), fields);
                } else if (property != null) {
                    String name = property.value().isEmpty() ? member.getName() : property.value();
                    fields.putIfAbsent(name, field(name, member.getGenericType()));
                }
            }
        }
    }

    private static Field field(String name, Type type) {
        if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
            Type[] arguments = generic.getActualTypeArguments();
            if (Map.class.isAssignableFrom(raw)) {
                return new Field.MapOf(field("", arguments[1]));
            }
            return List.class.isAssignableFrom(raw) ? new Field.ListOf(field("", arguments[0])) : Field.ANY;
        }
        return type instanceof Class<?> plain ? plainField(name, plain) : Field.ANY;
    }

    private static Field plainField(String name, Class<?> type) {
        if (type == String.class) {
            return isTime(name) ? Field.TIME : Field.STRING;
        }
        if (type == Integer.class) {
            return Field.INT32;
        }
        if (type == Long.class) {
            return Field.INT64;
        }
        if (type == Boolean.class) {
            return Field.BOOLEAN;
        }
        if (type == Double.class || type == Float.class) {
            return Field.NUMBER;
        }
        if (type == Quantity.class) {
            return Field.QUANTITY;
        }
        if (type == IntOrString.class) {
            return Field.INT_OR_STRING;
        }
        if (type == MicroTime.class || type == ZonedDateTime.class) {
            return Field.MICRO_TIME;
        }
        boolean model = type.getName().startsWith(MODELS) && !type.isInterface() && !type.isEnum();
        return model && !FREE.contains(type.getSimpleName()) ? new Field.ObjectOf(type) : Field.ANY;
    }

    /** The models write times as plain strings; their names give them away. */
    private static boolean isTime(String name) {
        return name.endsWith("Timestamp")
                || name.endsWith("Time")
                || name.equals("startedAt")
                || name.equals("finishedAt");
    }
}
