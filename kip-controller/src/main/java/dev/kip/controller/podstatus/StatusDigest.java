package dev.kip.controller.podstatus;

import com.google.common.collect.ImmutableSet;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Digest of what we write of a pod's status, the same for what a cell reports and for what the API server then has, so that
 * an adopted pod whose status is right costs no write. Pure.
 */
public final class StatusDigest {

    /** Types of the conditions that a kubelet sets. */
    public static final ImmutableSet<String> OUR_CONDITIONS =
            ImmutableSet.of("Initialized", "Ready", "ContainersReady", "PodReadyToStartContainers");

    static final ImmutableSet<String> CONTAINER_LISTS =
            ImmutableSet.of("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses");

    private static final ImmutableSet<String> PLAIN = ImmutableSet.of("phase", "reason", "message", "podIP", "hostIP");

    /** Of a condition, only these say something that a user could miss. */
    private static final ImmutableSet<String> OF_A_CONDITION = ImmutableSet.of("type", "status", "reason", "message");

    private StatusDigest() {}

    public static String of(JsonNode status) {
        StringBuilder text = new StringBuilder(512);
        for (String field : PLAIN) {
            text.append(field)
                    .append('=')
                    .append(status.path(field).asString(""))
                    .append('\n');
        }
        Map<String, String> conditions = new TreeMap<>();
        for (JsonNode condition : status.path("conditions")) {
            String type = condition.path("type").asString("");
            if (OUR_CONDITIONS.contains(type)) {
                StringBuilder line = new StringBuilder();
                OF_A_CONDITION.forEach(
                        field -> line.append(condition.path(field).asString("")).append('|'));
                conditions.put(type, line.toString());
            }
        }
        text.append(conditions.values()).append('\n');
        for (String list : CONTAINER_LISTS) {
            Map<String, String> containers = new TreeMap<>();
            for (JsonNode container : status.path(list)) {
                StringBuilder line = new StringBuilder();
                append(line, container);
                containers.put(container.path("name").asString(""), line.toString());
            }
            text.append(list).append(containers.values()).append('\n');
        }
        return Hashing.murmur3_128().hashString(text, StandardCharsets.UTF_8).toString();
    }

    /** Whether any container, init containers included, ever ran. */
    public static boolean started(JsonNode status) {
        for (String list : CONTAINER_LISTS) {
            for (JsonNode container : status.path(list)) {
                JsonNode state = container.path("state");
                if (state.has("running")
                        || state.has("terminated")
                        || container.path("lastState").has("terminated")
                        || container.path("restartCount").asInt(0) > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Fields in a fixed order; empty values and nulls are as good as absent. */
    private static void append(StringBuilder text, JsonNode node) {
        if (node.isObject()) {
            Map<String, JsonNode> fields = new TreeMap<>();
            node.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
            text.append('{');
            fields.forEach((name, value) -> {
                if (!value.isNull() && !(value.isContainer() && value.isEmpty())) {
                    text.append(name).append(':');
                    append(text, value);
                    text.append(',');
                }
            });
            text.append('}');
        } else if (node.isArray()) {
            text.append('[');
            node.forEach(element -> {
                append(text, element);
                text.append(',');
            });
            text.append(']');
        } else {
            text.append(node);
        }
    }
}
