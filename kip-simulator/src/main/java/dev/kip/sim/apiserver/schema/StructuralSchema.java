package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The structural schema of a custom resource: prunes what it does not name, fills in defaults, and checks values. The
 * rules of {@code x-kubernetes-validations} are not evaluated.
 */
public final class StructuralSchema {

    private final ImmutableMap<String, StructuralSchema> properties;
    private final @Nullable StructuralSchema additionalProperties;
    private final @Nullable StructuralSchema items;
    private final @Nullable JsonNode defaultValue;
    private final boolean nullable;
    private final boolean preservesUnknown;
    private final boolean embeddedResource;
    private final ValueRules rules;
    private final JsonNode schema;

    private StructuralSchema(JsonNode schema) {
        ImmutableMap.Builder<String, StructuralSchema> fields = ImmutableMap.builder();
        schema.path("properties").forEachEntry((name, field) -> fields.put(name, new StructuralSchema(field)));
        this.properties = fields.buildOrThrow();
        JsonNode additional = schema.path("additionalProperties");
        this.additionalProperties = additional.isObject() ? new StructuralSchema(additional) : null;
        this.items = schema.path("items").isObject() ? new StructuralSchema(schema.path("items")) : null;
        this.defaultValue = schema.get("default");
        this.nullable = schema.path("nullable").asBoolean(false);
        this.preservesUnknown =
                schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)
                        || (additional.isBoolean() && additional.booleanValue());
        this.embeddedResource = schema.path("x-kubernetes-embedded-resource").asBoolean(false);
        this.rules = new ValueRules(schema);
        this.schema = schema;
    }

    /** @param openApiV3Schema as in the definition */
    public static StructuralSchema of(JsonNode openApiV3Schema) {
        return new StructuralSchema(openApiV3Schema);
    }

    /** How server-side apply takes objects of the kind apart. */
    public Shape shape() {
        return new CustomShape(schema, true);
    }

    /** Removes fields that the schema does not name, in place. {@code metadata} of the object is left alone. */
    public void prune(ObjectNode object, Findings findings) {
        prune(object, Path.ROOT, true, findings);
    }

    private void prune(ObjectNode object, Path path, boolean resource, Findings findings) {
        ImmutableList<String> names = ImmutableList.copyOf(object.propertyNames());
        for (String name : names) {
            if (resource && (name.equals("apiVersion") || name.equals("kind") || name.equals("metadata"))) {
                continue;
            }
            StructuralSchema field = fieldOf(name);
            if (field != null) {
                field.pruneValue(object.path(name), path.child(name), findings);
            } else if (!preservesUnknown) {
                findings.unknownField(path.child(name).toString());
                object.remove(name);
            }
        }
    }

    private void pruneValue(JsonNode value, Path path, Findings findings) {
        if (value instanceof ObjectNode object) {
            prune(object, path, embeddedResource, findings);
        } else if (value instanceof ArrayNode array && items != null) {
            for (int i = 0; i < array.size(); i++) {
                items.pruneValue(array.path(i), path.item(i), findings);
            }
        }
    }

    private @Nullable StructuralSchema fieldOf(String name) {
        StructuralSchema field = properties.get(name);
        return field == null ? additionalProperties : field;
    }

    /** Fills in defaults, in place. A null where null is not allowed and there is a default counts as absent. */
    public void fillDefaults(ObjectNode object) {
        properties.forEach((name, field) -> {
            JsonNode value = object.path(name);
            if (field.defaultValue != null && (value.isMissingNode() || (value.isNull() && !field.nullable))) {
                object.set(name, field.defaultValue.deepCopy());
            } else if (value.isNull() && !field.nullable) {
                object.remove(name);
            }
        });
        object.forEachEntry((name, value) -> {
            StructuralSchema field = fieldOf(name);
            if (field != null) {
                field.fillDefaultsIn(value);
            }
        });
    }

    private void fillDefaultsIn(JsonNode value) {
        if (value instanceof ObjectNode object) {
            fillDefaults(object);
        } else if (value instanceof ArrayNode array && items != null) {
            array.forEach(items::fillDefaultsIn);
        }
    }

    /** Checks every value; {@code metadata} of the object is left alone. */
    public void validate(ObjectNode object, FieldErrors errors) {
        rules.required(object, Path.ROOT, errors);
        rules.value(object, Path.ROOT, errors);
        object.forEachEntry((name, value) -> {
            StructuralSchema field = fieldOf(name);
            if (field != null && !name.equals("metadata")) {
                field.validateValue(value, Path.of(name), errors);
            }
        });
    }

    private void validateValue(JsonNode value, Path path, FieldErrors errors) {
        if (value.isNull() && nullable) {
            return;
        }
        if (!rules.type(value, path, errors)) {
            return;
        }
        rules.value(value, path, errors);
        if (value instanceof ObjectNode object) {
            rules.required(object, path, errors);
            object.forEachEntry((name, inner) -> {
                StructuralSchema field = fieldOf(name);
                if (field != null) {
                    field.validateValue(inner, path.child(name), errors);
                }
            });
        } else if (value instanceof ArrayNode array && items != null) {
            for (int i = 0; i < array.size(); i++) {
                items.validateValue(array.path(i), path.item(i), errors);
            }
        }
    }
}
