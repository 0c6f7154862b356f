package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a pod spec means where it says nothing (pkg/apis/core/v1/defaults.go). */
final class PodDefaults {

    private static final int READABLE = 0644;

    private PodDefaults() {}

    /** @param spec of a pod or of a pod template */
    static void fill(ObjectNode spec) {
        text(spec, "restartPolicy", "Always");
        text(spec, "dnsPolicy", "ClusterFirst");
        text(spec, "schedulerName", "default-scheduler");
        if (!spec.has("terminationGracePeriodSeconds")) {
            spec.put("terminationGracePeriodSeconds", 30);
        }
        object(spec, "securityContext");
        if (spec.has("serviceAccountName") || spec.has("serviceAccount")) {
            String account = spec.path("serviceAccountName")
                    .asString(spec.path("serviceAccount").asString(""));
            spec.put("serviceAccountName", account).put("serviceAccount", account);
        }
        boolean hostNetwork = spec.path("hostNetwork").asBoolean(false);
        for (String list : ImmutableList.of("initContainers", "containers", "ephemeralContainers")) {
            for (JsonNode container : spec.path(list)) {
                fillContainer((ObjectNode) container, hostNetwork);
            }
        }
        for (JsonNode volume : spec.path("volumes")) {
            fillVolume((ObjectNode) volume);
        }
        for (JsonNode constraint : spec.path("topologySpreadConstraints")) {
            text((ObjectNode) constraint, "whenUnsatisfiable", "DoNotSchedule");
        }
    }

    private static void fillContainer(ObjectNode container, boolean hostNetwork) {
        text(container, "terminationMessagePath", "/dev/termination-log");
        text(container, "terminationMessagePolicy", "File");
        if (!container.has("imagePullPolicy") && container.has("image")) {
            container.put(
                    "imagePullPolicy", pullsLatest(container.path("image").asString("")) ? "Always" : "IfNotPresent");
        }
        ObjectNode resources = object(container, "resources");
        resources.path("limits").forEachEntry((resource, limit) -> {
            if (!resources.path("requests").has(resource)) {
                resources.withObjectProperty("requests").set(resource, limit);
            }
        });
        for (JsonNode port : container.path("ports")) {
            text((ObjectNode) port, "protocol", "TCP");
            if (hostNetwork && !port.has("hostPort") && port.has("containerPort")) {
                ((ObjectNode) port).set("hostPort", port.path("containerPort"));
            }
        }
        for (String probe : ImmutableList.of("livenessProbe", "readinessProbe", "startupProbe")) {
            if (container.get(probe) instanceof ObjectNode present) {
                fillProbe(present);
            }
        }
        for (String hook : ImmutableList.of("postStart", "preStop")) {
            fillHttpGet(container.path("lifecycle").path(hook).path("httpGet"));
        }
        for (JsonNode variable : container.path("env")) {
            if (variable.path("valueFrom").get("fieldRef") instanceof ObjectNode reference) {
                text(reference, "apiVersion", "v1");
            }
        }
    }

    private static void fillProbe(ObjectNode probe) {
        number(probe, "timeoutSeconds", 1);
        number(probe, "periodSeconds", 10);
        number(probe, "successThreshold", 1);
        number(probe, "failureThreshold", 3);
        fillHttpGet(probe.path("httpGet"));
        if (probe.get("grpc") instanceof ObjectNode grpc) {
            text(grpc, "service", "");
        }
    }

    private static void fillHttpGet(JsonNode httpGet) {
        if (httpGet instanceof ObjectNode get) {
            text(get, "path", "/");
            text(get, "scheme", "HTTP");
        }
    }

    private static void fillVolume(ObjectNode volume) {
        if (volume.size() == 1 && volume.has("name")) {
            volume.putObject("emptyDir");
        }
        for (String source : ImmutableList.of("secret", "configMap", "downwardAPI", "projected")) {
            if (volume.get(source) instanceof ObjectNode files) {
                number(files, "defaultMode", READABLE);
            }
        }
        for (JsonNode source : volume.path("projected").path("sources")) {
            if (source.get("serviceAccountToken") instanceof ObjectNode token && !token.has("expirationSeconds")) {
                token.put("expirationSeconds", 3600);
            }
        }
        if (volume.get("hostPath") instanceof ObjectNode hostPath) {
            text(hostPath, "type", "");
        }
    }

    private static boolean pullsLatest(String image) {
        if (image.contains("@")) {
            return false;
        }
        String last = image.substring(image.lastIndexOf('/') + 1);
        int colon = last.indexOf(':');
        return colon < 0 || last.substring(colon + 1).equals("latest");
    }

    static void text(ObjectNode object, String field, String value) {
        if (!object.has(field)) {
            object.put(field, value);
        }
    }

    static void number(ObjectNode object, String field, int value) {
        if (!object.has(field)) {
            object.put(field, value);
        }
    }

    static void flag(ObjectNode object, String field, boolean value) {
        if (!object.has(field)) {
            object.put(field, value);
        }
    }

    static ObjectNode object(ObjectNode parent, String field) {
        return parent.get(field) instanceof ObjectNode present ? present : parent.putObject(field);
    }
}
