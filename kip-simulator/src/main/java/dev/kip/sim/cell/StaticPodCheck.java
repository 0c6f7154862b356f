package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a standalone kubelet (1.34) refuses in a static pod's manifest, or crashes on. The agent checks it before it writes. */
final class StaticPodCheck {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final ImmutableMap<String, String> SPEC_FIELDS = ImmutableMap.<String, String>builder()
            .put("serviceAccountName", "static pods may not reference serviceaccounts")
            .put("serviceAccount", "static pods may not reference serviceaccounts")
            .put("imagePullSecrets", "static pods may not reference secrets")
            .put("resourceClaims", "static pods may not reference resourceclaims")
            .put("ephemeralContainers", "spec.ephemeralContainers: Forbidden: cannot be set on create")
            .put(
                    "schedulingGates",
                    "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared")
            .put("runtimeClassName", "kubelet would crash on spec.runtimeClassName")
            .buildOrThrow();

    private static final ImmutableMap<String, String> VOLUMES = ImmutableMap.<String, String>builder()
            .put("secret", "static pods may not reference secrets")
            .put("configMap", "static pods may not reference configmaps")
            .put("projected", "projected volume cannot be set up because kube client is not configured")
            .put("persistentVolumeClaim", "static pods may not reference persistentvolumeclaims")
            .put("ephemeral", "static pods may not reference persistentvolumeclaims (via ephemeral volumes)")
            .put("csi", "static pods may not reference csidrivers (via CSI volumes)")
            .buildOrThrow();

    private StaticPodCheck() {}

    /** @throws IllegalArgumentException if the text is no JSON object */
    static JsonNode parse(String manifest) {
        try {
            JsonNode json = JSON.readTree(manifest);
            if (!json.isObject()) {
                throw new IllegalArgumentException("the manifest is no JSON object");
            }
            return json;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the manifest is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Why kubelet would not run it; empty if it would. */
    static Optional<String> problem(JsonNode manifest, String podUid) {
        if (!manifest.path("kind").asString("").equals("Pod")) {
            return Optional.of("couldn't parse as pod: kind is " + manifest.path("kind"));
        }
        if (!manifest.at("/metadata/uid").asString("").equals(podUid)) {
            return Optional.of("metadata.uid must be the granted pod's, " + podUid);
        }
        for (String name : ImmutableList.of("/metadata/name", "/metadata/namespace", "/spec/hostname")) {
            if (manifest.at(name).asString("").isEmpty()) {
                return Optional.of(name.substring(1).replace('/', '.') + ": Required value");
            }
        }
        JsonNode spec = manifest.path("spec");
        if (spec.path("containers").isEmpty()) {
            return Optional.of("spec.containers: Required value");
        }
        Optional<String> field = first(spec, SPEC_FIELDS);
        if (field.isPresent()) {
            return field;
        }
        for (JsonNode volume : spec.path("volumes")) {
            Optional<String> problem = first(volume, VOLUMES);
            if (problem.isPresent()) {
                return problem;
            }
        }
        for (String kind : ImmutableList.of("initContainers", "containers")) {
            for (JsonNode container : spec.path(kind)) {
                Optional<String> problem = container(container, kind.equals("containers"));
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<String> container(JsonNode container, boolean ordinary) {
        if (ordinary && container.has("restartPolicy")) {
            return Optional.of("spec.containers.restartPolicy: Forbidden: may not be set for non-init containers");
        }
        for (JsonNode source : container.path("envFrom")) {
            return Optional.of("static pods may not reference " + (source.has("secretRef") ? "secrets" : "configmaps"));
        }
        for (JsonNode variable : container.path("env")) {
            JsonNode source = variable.path("valueFrom");
            if (source.has("secretKeyRef")) {
                return Optional.of("static pods may not reference secrets");
            }
            if (source.has("configMapKeyRef")) {
                return Optional.of("static pods may not reference configmaps");
            }
        }
        return Optional.empty();
    }

    private static Optional<String> first(JsonNode object, ImmutableMap<String, String> refused) {
        for (Map.Entry<String, String> row : refused.entrySet()) {
            JsonNode value = object.path(row.getKey());
            boolean absent = value.isMissingNode() || value.isNull() || (value.isArray() && value.isEmpty());
            if (!absent) {
                return Optional.of(row.getValue());
            }
        }
        return Optional.empty();
    }
}
