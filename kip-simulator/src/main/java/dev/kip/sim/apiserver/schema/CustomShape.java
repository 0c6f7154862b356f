package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.JsonNode;

/**
 * The shape of a custom resource.
 *
 * @param schema a node of {@code openAPIV3Schema}
 * @param root whether it is the object's, whose metadata is that of every kind
 */
record CustomShape(JsonNode schema, boolean root) implements Shape {

    @Override
    public Form form(JsonNode value) {
        if (value.isObject()) {
            if (schema.path("x-kubernetes-map-type").asString("").equals("atomic")) {
                return Form.WHOLE;
            }
            return schema.path("properties").isEmpty() && !root ? Form.MAP : Form.STRUCT;
        }
        if (value.isArray()) {
            return switch (schema.path("x-kubernetes-list-type").asString("")) {
                case "map" -> Form.KEYED;
                case "set" -> Form.SET;
                default -> Form.WHOLE;
            };
        }
        return Form.WHOLE;
    }

    @Override
    public boolean declares(String field) {
        return schema.path("properties").has(field)
                || (root && (field.equals("metadata") || field.equals("kind") || field.equals("apiVersion")));
    }

    @Override
    public boolean allows(String field) {
        return declares(field)
                || schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)
                || schema.path("additionalProperties").isObject()
                || schema.path("additionalProperties").asBoolean(false);
    }

    @Override
    public Shape of(String field) {
        if (root && field.equals("metadata")) {
            return ModelFields.ofMetadata().shape();
        }
        JsonNode inner = schema.path("properties").path(field);
        if (inner.isMissingNode()) {
            inner = schema.path("additionalProperties");
        }
        return inner.isObject() ? new CustomShape(inner, false) : UNTYPED;
    }

    @Override
    public Shape element() {
        return schema.path("items").isObject() ? new CustomShape(schema.path("items"), false) : UNTYPED;
    }

    @Override
    public ImmutableList<String> keys() {
        ImmutableList.Builder<String> keys = ImmutableList.builder();
        schema.path("x-kubernetes-list-map-keys").forEach(key -> keys.add(key.asString("")));
        return keys.build();
    }

    @Override
    public String keyDefault(String key) {
        return schema.path("items").path("properties").path(key).path("default").asString("");
    }
}
