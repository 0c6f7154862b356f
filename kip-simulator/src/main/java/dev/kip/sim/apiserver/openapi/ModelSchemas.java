package dev.kip.sim.apiserver.openapi;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.kip.sim.apiserver.ResourceType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Quantity;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Schemas derived from the fabric8 model classes, whose fields are those of the Go types. */
final class ModelSchemas {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String MODEL_PACKAGE = "io.fabric8.kubernetes.api.model.";

    /** By apiVersion and kind. */
    private final Map<String, Class<?>> classes = new TreeMap<>();

    ModelSchemas() {
        ServiceLoader.load(KubernetesResource.class).stream()
                .map(ServiceLoader.Provider::type)
                .filter(HasMetadata.class::isAssignableFrom)
                .forEach(type ->
                        classes.putIfAbsent(HasMetadata.getApiVersion(type) + "/" + HasMetadata.getKind(type), type));
    }

    /**
     * Adds the schema of {@code type} and all that it refers to.
     *
     * @return the name under which it is found; nothing has been added if there is no model of it
     */
    String addTo(ObjectNode schemas, ResourceType type) {
        Class<?> model = classes.get(type.apiVersion() + "/" + type.kind());
        if (model == null) {
            return type.apiVersion().replace('/', '.') + "." + type.kind();
        }
        return add(schemas, model);
    }

    /** Adds the schema of object metadata. Returns the reference to it. */
    String metadata(ObjectNode schemas) {
        return "#/components/schemas/" + add(schemas, ObjectMeta.class);
    }

    private static String add(ObjectNode schemas, Class<?> type) {
        String name = type.getName().replace(MODEL_PACKAGE, "").replace('$', '.');
        if (schemas.has(name)) {
            return name;
        }
        ObjectNode schema = schemas.putObject(name);
        if (type == Quantity.class) {
            schema.put("type", "string");
        } else if (type == IntOrString.class) {
            schema.put("type", "string").put("format", "int-or-string");
        } else if (type == MicroTime.class) {
            schema.put("type", "string").put("format", "date-time");
        } else {
            schema.put("type", "object");
            Map<String, ObjectNode> properties = new TreeMap<>();
            properties(schemas, type, properties);
            if (properties.isEmpty()) {
                schema.put("x-kubernetes-preserve-unknown-fields", true);
            } else {
                schema.putObject("properties").setAll(properties);
            }
        }
        return name;
    }

    private static void properties(ObjectNode schemas, Class<?> type, Map<String, ObjectNode> properties) {
        for (Class<?> owner = type; owner != null && owner != Object.class; owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.isAnnotationPresent(JsonIgnore.class)) {
                    continue;
                }
                if (field.isAnnotationPresent(JsonUnwrapped.class)) {
                    properties(schemas, field.getType(), properties);
                } else if (field.isAnnotationPresent(JsonProperty.class)) {
                    String name = field.getAnnotation(JsonProperty.class).value();
                    properties.putIfAbsent(
                            name.isEmpty() ? field.getName() : name, schema(schemas, field.getGenericType()));
                }
            }
        }
    }

    private static ObjectNode schema(ObjectNode schemas, Type type) {
        ObjectNode schema = JSON.objectNode();
        if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
            Type[] arguments = generic.getActualTypeArguments();
            if (Collection.class.isAssignableFrom(raw)) {
                return schema.put("type", "array").set("items", schema(schemas, arguments[0]));
            }
            if (Map.class.isAssignableFrom(raw)) {
                return schema.put("type", "object").set("additionalProperties", schema(schemas, arguments[1]));
            }
            return schema(schemas, raw);
        }
        if (!(type instanceof Class<?> plain)) {
            return schema.put("x-kubernetes-preserve-unknown-fields", true);
        }
        if (plain == String.class || plain.isEnum()) {
            return schema.put("type", "string");
        } else if (plain == Integer.class || plain == int.class) {
            return schema.put("type", "integer").put("format", "int32");
        } else if (plain == Long.class || plain == long.class) {
            return schema.put("type", "integer").put("format", "int64");
        } else if (plain == Boolean.class || plain == boolean.class) {
            return schema.put("type", "boolean");
        } else if (Number.class.isAssignableFrom(plain) || plain.isPrimitive()) {
            return schema.put("type", "number");
        } else if (!plain.getName().startsWith(MODEL_PACKAGE) || plain.isInterface() || isValue(plain)) {
            return schema.put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
        }
        schema.putArray("allOf").addObject().put("$ref", "#/components/schemas/" + add(schemas, plain));
        return schema;
    }

    /** Types that are written as whatever JSON they hold. */
    private static boolean isValue(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            if (field.isAnnotationPresent(JsonValue.class)) {
                return true;
            }
        }
        return type.getSimpleName().toLowerCase(Locale.ROOT).startsWith("fieldsv1");
    }
}
