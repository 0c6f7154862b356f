package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableList;
import dev.kip.quantity.Quantities;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Pods. */
public final class Pods implements Strategy {

    private static final Traits TRAITS = Traits.SPEC_AND_STATUS.answeringDeleted();

    @Override
    public Traits traits() {
        return TRAITS;
    }

    @Override
    public void fillDefaults(ObjectNode pod) {
        ObjectNode spec = PodDefaults.object(pod, "spec");
        PodDefaults.fill(spec);
        PodDefaults.flag(spec, "enableServiceLinks", true);
    }

    @Override
    public void beforeCreate(ObjectNode pod) {
        pod.putObject("status").put("phase", "Pending").put("qosClass", qosClass(pod.path("spec")));
    }

    @Override
    public void beforeStatusUpdate(ObjectNode pod, ObjectNode old) {
        ObjectNode status = PodDefaults.object(pod, "status");
        if (!status.has("qosClass") && old.path("status").has("qosClass")) {
            status.set("qosClass", old.path("status").path("qosClass"));
        }
    }

    @Override
    public void validate(ObjectNode pod, FieldErrors errors) {
        PodValidation.validate(pod.path("spec"), "spec", errors);
    }

    @Override
    public void validateUpdate(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        if (!pod.path("spec").equals(old.path("spec"))
                && !withMutableParts(pod, old).equals(old.path("spec"))) {
            errors.forbidden(
                    "spec",
                    "pod updates may not change fields other than `spec.containers[*].image`,"
                            + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions"
                            + " to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it"
                            + " was previously negative)\n");
        }
        List<JsonNode> tolerations =
                ImmutableList.copyOf(pod.path("spec").path("tolerations").values());
        for (JsonNode toleration : old.path("spec").path("tolerations")) {
            boolean kept = tolerations.stream().anyMatch(now -> sameButSeconds(now, toleration));
            if (!kept) {
                errors.forbidden(
                        "spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
            }
        }
    }

    private static boolean sameButSeconds(JsonNode left, JsonNode right) {
        return ((ObjectNode) left)
                .deepCopy()
                .without("tolerationSeconds")
                .equals(((ObjectNode) right).deepCopy().without("tolerationSeconds"));
    }

    /** The new spec with everything that may change put back: what is left must not differ. */
    private static JsonNode withMutableParts(ObjectNode pod, ObjectNode old) {
        ObjectNode spec = (ObjectNode) pod.path("spec").deepCopy();
        JsonNode oldSpec = old.path("spec");
        for (String field : ImmutableList.of("activeDeadlineSeconds", "tolerations")) {
            restore(spec, oldSpec, field);
        }
        if (oldSpec.path("terminationGracePeriodSeconds").asLong(0) < 0) {
            restore(spec, oldSpec, "terminationGracePeriodSeconds");
        }
        if (spec.path("schedulingGates").size()
                < oldSpec.path("schedulingGates").size()) {
            restore(spec, oldSpec, "schedulingGates");
        }
        for (String list : ImmutableList.of("containers", "initContainers")) {
            int index = 0;
            for (JsonNode container : spec.path(list)) {
                JsonNode before = oldSpec.path(list).path(index++);
                if (before.has("image") && container instanceof ObjectNode changed) {
                    changed.set("image", before.path("image"));
                }
            }
        }
        return spec;
    }

    private static void restore(ObjectNode spec, JsonNode old, String field) {
        if (old.has(field)) {
            spec.set(field, old.path(field));
        } else {
            spec.remove(field);
        }
    }

    /** Guaranteed if every container's cpu and memory is limited and requested alike, BestEffort if none is mentioned. */
    static String qosClass(JsonNode spec) {
        Map<String, List<String>> requests = new TreeMap<>();
        Map<String, List<String>> limits = new TreeMap<>();
        int containers = 0;
        for (String list : ImmutableList.of("initContainers", "containers")) {
            for (JsonNode container : spec.path(list)) {
                containers++;
                collect(container.path("resources").path("requests"), requests);
                collect(container.path("resources").path("limits"), limits);
            }
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return "BestEffort";
        }
        boolean guaranteed = requests.equals(limits)
                && limits.size() == 2
                && limits.getOrDefault("cpu", List.of()).size() == containers
                && limits.getOrDefault("memory", List.of()).size() == containers;
        return guaranteed ? "Guaranteed" : "Burstable";
    }

    private static void collect(JsonNode quantities, Map<String, List<String>> into) {
        for (String resource : ImmutableList.of("cpu", "memory")) {
            BigDecimal amount = Quantities.parse(quantities.path(resource).asString("0"));
            if (amount.signum() > 0) {
                into.computeIfAbsent(resource, any -> new ArrayList<>())
                        .add(amount.stripTrailingZeros().toPlainString());
            }
        }
    }
}
