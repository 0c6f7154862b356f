package dev.kip.sim.apiserver.protobuf;

import com.google.common.collect.ImmutableSet;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Turns a Kubernetes message into the JSON that Go's encoder would make of the same object. */
final class MessageJson {

    /** The message holds what cannot be shown in JSON. */
    static final class Undecodable extends Exception {

        private static final long serialVersionUID = 1;

        Undecodable(String message) {
            super(message);
        }
    }

    /** Structs that Go embeds: their fields are those of the struct around them. */
    private static final ImmutableSet<String> EMBEDDED = ImmutableSet.of(
            "Volume.volumeSource",
            "PersistentVolumeSpec.persistentVolumeSource",
            "Probe.handler",
            "EphemeralContainer.ephemeralContainerCommon",
            "IngressRule.ingressRuleValue",
            "ConfigMapKeySelector.localObjectReference",
            "SecretKeySelector.localObjectReference",
            "ConfigMapEnvSource.localObjectReference",
            "SecretEnvSource.localObjectReference",
            "ConfigMapVolumeSource.localObjectReference",
            "ConfigMapProjection.localObjectReference",
            "SecretProjection.localObjectReference");

    /**
     * Go sends a scalar that is no pointer even when it is zero, and leaves it out of the JSON then. These are the ones
     * that are pointers, or are written when zero: their zero was asked for.
     */
    private static final ImmutableSet<String> ZERO_MEANS_ZERO = ImmutableSet.of(
            "activeDeadlineSeconds",
            "allocateLoadBalancerNodePorts",
            "allowPrivilegeEscalation",
            "allowVolumeExpansion",
            "automountServiceAccountToken",
            "backoffLimit",
            "backoffLimitPerIndex",
            "blockOwnerDeletion",
            "completions",
            "controller",
            "defaultMode",
            "deletionGracePeriodSeconds",
            "enableServiceLinks",
            "expirationSeconds",
            "failedJobsHistoryLimit",
            "fsGroup",
            "gracePeriodSeconds",
            "hostProcess",
            "hostUsers",
            "immutable",
            "manualSelector",
            "maxFailedIndexes",
            "minReplicas",
            "mode",
            "optional",
            "orphanDependents",
            "parallelism",
            "partition",
            "priority",
            "privileged",
            "progressDeadlineSeconds",
            "readOnlyRootFilesystem",
            "replicas",
            "revisionHistoryLimit",
            "runAsGroup",
            "runAsNonRoot",
            "runAsUser",
            "setHostnameAsFQDN",
            "shareProcessNamespace",
            "startingDeadlineSeconds",
            "storageClassName",
            "successfulJobsHistoryLimit",
            "suspend",
            "targetCPUUtilizationPercentage",
            "terminationGracePeriodSeconds",
            "tolerationSeconds",
            "ttlSecondsAfterFinished",
            "PriorityClass.value");

    private static final DateTimeFormatter MICRO = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final JsonNodeFactory json = JsonNodeFactory.instance;

    void addTo(ObjectNode node, Message message) throws Undecodable {
        Descriptor type = message.getDescriptorForType();
        refuseUnknown(type, message.getUnknownFields());
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            FieldDescriptor field = entry.getKey();
            if (EMBEDDED.contains(type.getName() + "." + field.getName())) {
                addTo(node, (Message) entry.getValue());
            } else {
                add(node, field, entry.getValue());
            }
        }
    }

    private void add(ObjectNode node, FieldDescriptor field, Object value) throws Undecodable {
        if (field.isMapField()) {
            map(node.putObject(field.getName()), (List<?>) value);
        } else if (field.isRepeated()) {
            node.set(field.getName(), array((List<?>) value));
        } else if (!isLeftOut(field, value)) {
            node.set(field.getName(), value(value));
        }
    }

    private void map(ObjectNode node, List<?> entries) throws Undecodable {
        for (Object entry : entries) {
            Message pair = (Message) entry;
            List<FieldDescriptor> fields = pair.getDescriptorForType().getFields();
            node.set(pair.getField(fields.get(0)).toString(), value(pair.getField(fields.get(1))));
        }
    }

    private ArrayNode array(List<?> values) throws Undecodable {
        ArrayNode array = json.arrayNode();
        for (Object value : values) {
            array.add(value(value));
        }
        return array;
    }

    private static boolean isLeftOut(FieldDescriptor field, Object value) {
        if (field.getJavaType() == JavaType.MESSAGE) {
            Message message = (Message) value;
            return switch (message.getDescriptorForType().getName()) {
                // The zero time, and a value that was never set.
                case "Time", "MicroTime", "FieldsV1", "RawExtension" ->
                    message.getAllFields().isEmpty();
                default -> false;
            };
        }
        if (ZERO_MEANS_ZERO.contains(field.getName())
                || ZERO_MEANS_ZERO.contains(field.getContainingType().getName() + "." + field.getName())) {
            return false;
        }
        return value.equals(field.getDefaultValue());
    }

    private JsonNode value(Object value) throws Undecodable {
        if (value instanceof Message message) {
            return message(message);
        } else if (value instanceof Integer number) {
            return json.numberNode(number);
        } else if (value instanceof Long number) {
            return number(number);
        } else if (value instanceof Double number) {
            return json.numberNode(number);
        } else if (value instanceof Boolean flag) {
            return json.booleanNode(flag);
        } else if (value instanceof ByteString bytes) {
            return json.stringNode(Base64.getEncoder().encodeToString(bytes.toByteArray()));
        }
        return json.stringNode(value.toString());
    }

    private JsonNode message(Message message) throws Undecodable {
        Descriptor type = message.getDescriptorForType();
        switch (type.getName()) {
            case "Time", "Timestamp":
                return json.stringNode(instant(message).toString());
            case "MicroTime":
                return json.stringNode(MICRO.format(instant(message)));
            case "Quantity":
                return json.stringNode(string(message, "string"));
            case "IntOrString":
                return number(message, "type") == 0
                        ? number(number(message, "intVal"))
                        : json.stringNode(string(message, "strVal"));
            case "FieldsV1", "RawExtension", "JSON":
                return raw(type, (ByteString) field(message, "Raw"));
            case "ExtraValue":
                return array((List<?>) field(message, "items"));
            default:
                ObjectNode node = json.objectNode();
                addTo(node, message);
                return node;
        }
    }

    /** As the JSON parser would have it: a tree from here must equal the one that was read. */
    private JsonNode number(long value) {
        return (int) value == value ? json.numberNode((int) value) : json.numberNode(value);
    }

    private JsonNode raw(Descriptor type, ByteString bytes) throws Undecodable {
        try {
            return bytes.isEmpty() ? json.nullNode() : MAPPER.readTree(bytes.toByteArray());
        } catch (JacksonException e) {
            throw new Undecodable("the content of a " + type.getName() + " is no JSON");
        }
    }

    /** Kubernetes writes whole seconds in Time. */
    private static Instant instant(Message message) {
        boolean micro = message.getDescriptorForType().getName().equals("MicroTime");
        return Instant.ofEpochSecond(number(message, "seconds"), micro ? number(message, "nanos") : 0);
    }

    private static long number(Message message, String field) {
        return ((Number) field(message, field)).longValue();
    }

    private static String string(Message message, String field) {
        return field(message, field).toString();
    }

    private static Object field(Message message, String name) {
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (field.getName().equalsIgnoreCase(name)) {
                return message.getField(field);
            }
        }
        throw new IllegalStateException(message.getDescriptorForType().getFullName() + " has no field " + name);
    }

    /** A field of a later version that is empty costs nothing to ignore; one that says something must not get lost. */
    private static void refuseUnknown(Descriptor type, UnknownFieldSet unknown) throws Undecodable {
        for (Map.Entry<Integer, UnknownFieldSet.Field> field : unknown.asMap().entrySet()) {
            UnknownFieldSet.Field content = field.getValue();
            boolean empty = content.getVarintList().stream().allMatch(value -> value == 0)
                    && content.getLengthDelimitedList().stream().allMatch(ByteString::isEmpty)
                    && content.getFixed32List().isEmpty()
                    && content.getFixed64List().isEmpty();
            if (!empty) {
                throw new Undecodable(
                        "field " + field.getKey() + " of " + type.getName() + " is not known here; send JSON");
            }
        }
    }
}
