package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Between two served versions of one built-in kind. */
final class Conversions {

    /** Name in events.k8s.io/v1 and in the core group, where they differ. */
    private static final ImmutableMap<String, String> EVENT_FIELDS = ImmutableMap.<String, String>builder()
            .put("note", "message")
            .put("regarding", "involvedObject")
            .put("reportingController", "reportingComponent")
            .put("deprecatedSource", "source")
            .put("deprecatedFirstTimestamp", "firstTimestamp")
            .put("deprecatedLastTimestamp", "lastTimestamp")
            .put("deprecatedCount", "count")
            .buildOrThrow();

    private Conversions() {}

    static ObjectNode eventToCore(ObjectNode event) {
        return renamed(event, "v1", EVENT_FIELDS);
    }

    static ObjectNode eventFromCore(ObjectNode event) {
        return renamed(
                event,
                "events.k8s.io/v1",
                EVENT_FIELDS.entrySet().stream()
                        .collect(ImmutableMap.toImmutableMap(Map.Entry::getValue, Map.Entry::getKey)));
    }

    private static ObjectNode renamed(ObjectNode object, String apiVersion, Map<String, String> names) {
        ObjectNode result = object.objectNode();
        object.forEachEntry((name, value) -> result.set(names.getOrDefault(name, name), value));
        return result.put("apiVersion", apiVersion);
    }

    static ObjectNode autoscalerToV2(ObjectNode object) {
        object.put("apiVersion", "autoscaling/v2");
        if (object.get("spec") instanceof ObjectNode spec) {
            JsonNode target = spec.path("targetCPUUtilizationPercentage");
            spec.remove("targetCPUUtilizationPercentage");
            ObjectNode cpu = metric(spec.putArray("metrics"), "target");
            if (target.isNumber()) {
                cpu.put("type", "Utilization").set("averageUtilization", target);
            } else {
                cpu.put("type", "Utilization").put("averageUtilization", 80);
            }
        }
        if (object.get("status") instanceof ObjectNode status) {
            JsonNode current = status.path("currentCPUUtilizationPercentage");
            status.remove("currentCPUUtilizationPercentage");
            if (current.isNumber()) {
                metric(status.putArray("currentMetrics"), "current").set("averageUtilization", current);
            }
        }
        return object;
    }

    private static ObjectNode metric(ArrayNode metrics, String field) {
        ObjectNode metric = metrics.addObject().put("type", "Resource");
        return metric.putObject("resource").put("name", "cpu").putObject(field);
    }

    static ObjectNode autoscalerFromV2(ObjectNode stored) {
        ObjectNode object = stored.deepCopy().put("apiVersion", "autoscaling/v1");
        if (object.get("spec") instanceof ObjectNode spec) {
            move(spec, "metrics", "target", "targetCPUUtilizationPercentage");
            spec.remove("behavior");
        }
        if (object.get("status") instanceof ObjectNode status) {
            move(status, "currentMetrics", "current", "currentCPUUtilizationPercentage");
            status.remove("conditions");
        }
        return object;
    }

    /** Version 1 knows the utilisation of one resource only: cpu. */
    private static void move(ObjectNode from, String metrics, String field, String name) {
        for (JsonNode metric : from.path(metrics)) {
            JsonNode value = metric.path("resource").path(field).path("averageUtilization");
            if (metric.path("resource").path("name").asString("").equals("cpu") && value.isNumber()) {
                from.set(name, value);
            }
        }
        from.remove(metrics);
    }
}
