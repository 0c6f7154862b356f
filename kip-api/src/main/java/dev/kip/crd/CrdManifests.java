package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.google.common.collect.ImmutableList;
import dev.kip.kube.ResourceKind;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The {@code CustomResourceDefinition}s of our kinds, made from their records, which carry fabric8's CRD annotations. (Its own
 * generator wants classes that extend its {@code CustomResource}.) The files in {@code kip-controller/deploy/crds} are these.
 */
public final class CrdManifests {

    private CrdManifests() {}

    /** All of them, fresh trees; the same at each call. */
    public static ImmutableList<ObjectNode> all() {
        return ImmutableList.of(
                manifest(CrdKinds.CELLS, Cell.class, "cell", "cl", "v1", "v1beta1"),
                manifest(CrdKinds.INSTALLATIONS, Installation.class, "installation", "kin", "v1"),
                manifest(CrdKinds.LAUNCH_BATCHES, LaunchBatch.class, "launchbatch", "lab", "v1"));
    }

    /** @param versions all served; the first is stored */
    private static ObjectNode manifest(
            ResourceKind<?> kind, Class<? extends Record> type, String singular, String shortName, String... versions) {
        ObjectNode crd = object();
        crd.put("apiVersion", "apiextensions.k8s.io/v1");
        crd.put("kind", "CustomResourceDefinition");
        crd.putObject("metadata").put("name", kind.plural() + "." + kind.group());
        ObjectNode spec = crd.putObject("spec");
        spec.put("group", kind.group());
        ObjectNode names = spec.putObject("names");
        names.put("kind", kind.kind());
        names.put("listKind", kind.kind() + "List");
        names.put("plural", kind.plural());
        names.put("singular", singular);
        names.putArray("shortNames").add(shortName);
        names.putArray("categories").add("kip");
        spec.put("scope", kind.namespaced() ? "Namespaced" : "Cluster");
        spec.putObject("conversion").put("strategy", "None");
        ArrayNode served = spec.putArray("versions");
        for (int i = 0; i < versions.length; i++) {
            ObjectNode version = served.addObject();
            version.put("name", versions[i]);
            version.put("served", true);
            version.put("storage", i == 0);
            ArrayNode columns = version.putArray("additionalPrinterColumns");
            addColumns(type, "", columns);
            for (AdditionalPrinterColumn column : type.getAnnotationsByType(AdditionalPrinterColumn.class)) {
                addColumn(
                        columns, column.name(), column.jsonPath(), column.type().getValue(), column.priority());
            }
            version.putObject("schema").set("openAPIV3Schema", rootSchema(type));
        }
        return crd;
    }

    private static ObjectNode rootSchema(Class<? extends Record> type) {
        ObjectNode schema = objectSchema(type);
        JsonClassDescription description = type.getAnnotation(JsonClassDescription.class);
        if (description != null) {
            schema.put("description", description.value());
        }
        ObjectNode properties = object();
        properties.putObject("apiVersion").put("type", "string");
        properties.putObject("kind").put("type", "string");
        // The API server owns the schema of metadata and refuses a CRD that has one of its own.
        properties.putObject("metadata").put("type", "object");
        schema.path("properties").forEachEntry((name, property) -> {
            if (!name.equals("metadata")) {
                properties.set(name, property);
            }
        });
        schema.set("properties", properties);
        return schema;
    }

    private static ObjectNode objectSchema(Class<?> type) {
        ObjectNode schema = object();
        schema.put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = JsonNodeFactory.instance.arrayNode();
        for (RecordComponent component : type.getRecordComponents()) {
            Field field = CrdFields.fieldOf(component);
            ObjectNode property = schemaOf(component.getGenericType());
            JsonPropertyDescription description = field.getAnnotation(JsonPropertyDescription.class);
            if (description != null) {
                property.put("description", description.value());
            }
            Min min = field.getAnnotation(Min.class);
            if (min != null) {
                property.put("minimum", (long) min.value());
            }
            if (field.isAnnotationPresent(PreserveUnknownFields.class)) {
                property.put("x-kubernetes-preserve-unknown-fields", true);
            }
            if (field.isAnnotationPresent(Required.class)) {
                required.add(component.getName());
            }
            properties.set(component.getName(), property);
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema;
    }

    private static ObjectNode schemaOf(Type type) {
        ObjectNode schema = object();
        if (type == String.class) {
            return schema.put("type", "string");
        }
        if (type == boolean.class) {
            return schema.put("type", "boolean");
        }
        if (type == int.class) {
            return schema.put("type", "integer").put("format", "int32");
        }
        if (type == long.class) {
            return schema.put("type", "integer").put("format", "int64");
        }
        if (type instanceof Class<?> named && named.isRecord()) {
            return objectSchema(named);
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == ImmutableList.class) {
            schema.put("type", "array");
            schema.set("items", schemaOf(generic.getActualTypeArguments()[0]));
            return schema;
        }
        schema.put("type", "object");
        schema.putObject("additionalProperties").put("type", "string");
        return schema;
    }

    private static void addColumns(Class<?> type, String path, ArrayNode columns) {
        for (RecordComponent component : type.getRecordComponents()) {
            String jsonPath = path + "." + component.getName();
            PrinterColumn column = CrdFields.fieldOf(component).getAnnotation(PrinterColumn.class);
            if (column != null) {
                String columnType = component.getType() == String.class ? "string" : "integer";
                addColumn(columns, column.name(), jsonPath, columnType, column.priority());
            }
            if (component.getType().isRecord() && component.getType() != ObjectMetadata.class) {
                addColumns(component.getType(), jsonPath, columns);
            }
        }
    }

    private static void addColumn(ArrayNode columns, String name, String jsonPath, String type, int priority) {
        ObjectNode column = columns.addObject();
        column.put("name", name);
        column.put("type", type.toLowerCase(Locale.ROOT));
        column.put("jsonPath", jsonPath);
        if (priority > 0) {
            column.put("priority", priority);
        }
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
