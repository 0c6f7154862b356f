package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.schema.FieldErrors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Nodes. A kubelet registers its node with a status, so a creation keeps it. */
public final class Nodes implements Strategy {

    private static final ImmutableSet<String> EFFECTS = ImmutableSet.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final Traits TRAITS = Traits.PLAIN.withStatus().keepingStatusOnCreate();

    @Override
    public Traits traits() {
        return TRAITS;
    }

    @Override
    public void fillDefaults(ObjectNode node) {
        PodDefaults.object(node, "spec");
        ObjectNode status = PodDefaults.object(node, "status");
        if (status.has("capacity") && !status.has("allocatable")) {
            status.set("allocatable", status.path("capacity").deepCopy());
        }
        ObjectNode endpoints = PodDefaults.object(status, "daemonEndpoints");
        PodDefaults.number(PodDefaults.object(endpoints, "kubeletEndpoint"), "Port", 0);
        PodDefaults.object(status, "nodeInfo");
    }

    @Override
    public void validate(ObjectNode node, FieldErrors errors) {
        java.util.Set<String> seen = new java.util.LinkedHashSet<>();
        int index = 0;
        for (JsonNode taint : node.path("spec").path("taints")) {
            String at = "metadata.taints[" + index++ + "]";
            String key = taint.path("key").asString("");
            if (key.isEmpty()) {
                errors.invalid(at + ".key", "\"\"", "name part must be non-empty");
            }
            String effect = taint.path("effect").asString("");
            if (effect.isEmpty()) {
                errors.required(at + ".effect", "");
            } else if (!EFFECTS.contains(effect)) {
                errors.notSupported(at + ".effect", effect, EFFECTS);
            }
            if (!seen.add(key + ":" + effect)) {
                errors.duplicate(at, taint.toString());
            }
        }
    }

    @Override
    public void validateUpdate(ObjectNode node, ObjectNode old, FieldErrors errors) {
        // The real server validates the whole node again here; and "metadata.taints" is what it says.
        validate(node, errors);
        for (String field : ImmutableSet.of("providerID", "podCIDR")) {
            JsonNode before = old.path("spec").path(field);
            if (before.isString() && !before.equals(node.path("spec").path(field))) {
                errors.forbidden(
                        "spec." + field,
                        field.equals("providerID")
                                ? "node updates may not change providerID except from \"\" to valid"
                                : "node updates may not change podCIDR except from \"\" to valid");
            }
        }
    }
}
