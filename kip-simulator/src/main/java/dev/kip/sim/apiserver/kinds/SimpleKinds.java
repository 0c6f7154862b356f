package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.util.Base64;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Kinds with a rule or two. */
public final class SimpleKinds {

    private SimpleKinds() {}

    /** Secrets: data is base64, stringData is written into it. */
    public static final class Secrets implements Strategy {

        @Override
        public Traits traits() {
            return Traits.PLAIN;
        }

        @Override
        public void fillDefaults(ObjectNode secret) {
            PodDefaults.text(secret, "type", "Opaque");
            secret.path("stringData")
                    .forEachEntry((key, value) -> secret.withObjectProperty("data")
                            .put(
                                    key,
                                    Base64.getEncoder()
                                            .encodeToString(value.asString("")
                                                    .getBytes(java.nio.charset.StandardCharsets.UTF_8))));
            secret.remove("stringData");
        }

        @Override
        public void validate(ObjectNode secret, FieldErrors errors) {
            validateKeys(secret.path("data"), "data", errors);
        }

        @Override
        public void validateUpdate(ObjectNode secret, ObjectNode old, FieldErrors errors) {
            if (!secret.path("type").equals(old.path("type"))) {
                errors.invalid("type", secret.path("type"), "field is immutable");
            }
            validateImmutable(secret, old, errors);
        }
    }

    /** ConfigMaps. */
    public static final class ConfigMaps implements Strategy {

        @Override
        public Traits traits() {
            return Traits.PLAIN;
        }

        @Override
        public void validate(ObjectNode map, FieldErrors errors) {
            validateKeys(map.path("data"), "data", errors);
            validateKeys(map.path("binaryData"), "binaryData", errors);
        }

        @Override
        public void validateUpdate(ObjectNode map, ObjectNode old, FieldErrors errors) {
            validateImmutable(map, old, errors);
        }
    }

    private static void validateKeys(JsonNode data, String path, FieldErrors errors) {
        data.forEachEntry((key, value) -> {
            if (!key.matches("[-._a-zA-Z0-9]+")) {
                errors.invalid(
                        path + "[" + key + "]",
                        FieldErrors.quoted(key),
                        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                                + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
            }
        });
    }

    private static void validateImmutable(ObjectNode object, ObjectNode old, FieldErrors errors) {
        if (!old.path("immutable").asBoolean(false)) {
            return;
        }
        if (!object.path("immutable").asBoolean(false)) {
            errors.forbidden("immutable", "field is immutable when `immutable` is set");
        }
        if (!object.path("data").equals(old.path("data"))) {
            errors.forbidden("data", "field is immutable when `immutable` is set");
        }
    }

    /** Leases. */
    public static final class Leases implements Strategy {

        @Override
        public Traits traits() {
            return Traits.PLAIN.versionRequired().creatingOnUpdate();
        }

        @Override
        public void validate(ObjectNode lease, FieldErrors errors) {
            JsonNode spec = lease.path("spec");
            if (spec.has("leaseDurationSeconds")
                    && spec.path("leaseDurationSeconds").asInt(0) <= 0) {
                errors.invalid(
                        "spec.leaseDurationSeconds", spec.path("leaseDurationSeconds"), "must be greater than 0");
            }
            if (spec.path("leaseTransitions").asInt(0) < 0) {
                errors.invalid(
                        "spec.leaseTransitions", spec.path("leaseTransitions"), "must be greater than or equal to 0");
            }
        }
    }

    /** Events. */
    public static final class Events implements Strategy {

        @Override
        public Traits traits() {
            return Traits.PLAIN.creatingOnUpdate();
        }

        @Override
        public void fillDefaults(ObjectNode event) {
            PodDefaults.object(event, "source");
            PodDefaults.object(event, "involvedObject");
            PodDefaults.text(event, "reportingComponent", "");
            PodDefaults.text(event, "reportingInstance", "");
        }

        @Override
        public void validate(ObjectNode event, FieldErrors errors) {
            String about = event.path("involvedObject").path("namespace").asString("");
            String in = event.path("metadata").path("namespace").asString("");
            boolean fits = about.isEmpty() ? in.equals("default") || in.equals("kube-system") : about.equals(in);
            if (!fits) {
                errors.invalid("involvedObject.namespace", FieldErrors.quoted(about), "does not match event.namespace");
            }
        }
    }

    /** Claims for storage. */
    public static final class Claims implements Strategy {

        private static final ImmutableSet<String> MODES =
                ImmutableSet.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");

        @Override
        public Traits traits() {
            return Traits.PLAIN.withStatus().answeringDeleted();
        }

        @Override
        public void fillDefaults(ObjectNode claim) {
            PodDefaults.text(PodDefaults.object(claim, "spec"), "volumeMode", "Filesystem");
        }

        @Override
        public void beforeCreate(ObjectNode claim) {
            claim.putObject("status").put("phase", "Pending");
        }

        @Override
        public void validate(ObjectNode claim, FieldErrors errors) {
            JsonNode spec = claim.path("spec");
            if (spec.path("accessModes").isEmpty()) {
                errors.required("spec.accessModes", "at least 1 access mode is required");
            }
            for (JsonNode mode : spec.path("accessModes")) {
                if (!MODES.contains(mode.asString(""))) {
                    errors.notSupported("spec.accessModes", mode.asString(""), MODES);
                }
            }
            if (!spec.path("resources").path("requests").has("storage")) {
                errors.required("spec.resources[storage]", "");
            }
        }
    }

    /** Volumes. */
    public static final class Volumes implements Strategy {

        @Override
        public Traits traits() {
            return Traits.PLAIN.withStatus().answeringDeleted();
        }

        @Override
        public void fillDefaults(ObjectNode volume) {
            ObjectNode spec = PodDefaults.object(volume, "spec");
            PodDefaults.text(spec, "persistentVolumeReclaimPolicy", "Retain");
            PodDefaults.text(spec, "volumeMode", "Filesystem");
        }

        @Override
        public void beforeCreate(ObjectNode volume) {
            volume.putObject("status").put("phase", "Pending");
        }
    }

    /** RoleBindings and ClusterRoleBindings: what they refer to cannot change. */
    public static final class Bindings implements Strategy {

        private static final String RBAC = "rbac.authorization.k8s.io";

        @Override
        public Traits traits() {
            return Traits.PLAIN.creatingOnUpdate().named(Names.PATH_SEGMENT);
        }

        @Override
        public void fillDefaults(ObjectNode binding) {
            if (binding.get("roleRef") instanceof ObjectNode role) {
                PodDefaults.text(role, "apiGroup", RBAC);
            }
            for (JsonNode subject : binding.path("subjects")) {
                boolean person = !subject.path("kind").asString("").equals("ServiceAccount");
                if (person && subject instanceof ObjectNode named) {
                    PodDefaults.text(named, "apiGroup", RBAC);
                }
            }
        }

        @Override
        public void validate(ObjectNode binding, FieldErrors errors) {
            if (binding.path("roleRef").path("name").asString("").isEmpty()) {
                errors.required("roleRef.name", "");
            }
        }

        @Override
        public void validateUpdate(ObjectNode binding, ObjectNode old, FieldErrors errors) {
            if (!binding.path("roleRef").equals(old.path("roleRef"))) {
                errors.invalid("roleRef", binding.path("roleRef"), "cannot change roleRef");
            }
        }
    }

    /** Disruption budgets. */
    public static final class DisruptionBudgets implements Strategy {

        @Override
        public Traits traits() {
            return Traits.SPEC_AND_STATUS.versionRequired();
        }

        @Override
        public void beforeCreate(ObjectNode budget) {
            budget.putObject("status")
                    .put("currentHealthy", 0)
                    .put("desiredHealthy", 0)
                    .put("disruptionsAllowed", 0)
                    .put("expectedPods", 0);
        }

        @Override
        public void validate(ObjectNode budget, FieldErrors errors) {
            JsonNode spec = budget.path("spec");
            if (spec.has("minAvailable") && spec.has("maxUnavailable")) {
                errors.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
            }
        }
    }

    /** Priority classes. */
    public static final class PriorityClasses implements Strategy {

        private static final int HIGHEST_OF_USERS = 1_000_000_000;

        @Override
        public Traits traits() {
            return Traits.PLAIN;
        }

        @Override
        public void fillDefaults(ObjectNode object) {
            PodDefaults.text(object, "preemptionPolicy", "PreemptLowerPriority");
        }

        @Override
        public void validate(ObjectNode object, FieldErrors errors) {
            boolean system = object.path("metadata").path("name").asString("").startsWith("system-");
            if (!system && object.path("value").asInt(0) > HIGHEST_OF_USERS) {
                errors.forbidden("value", "maximum allowed value of a user defined priority is " + HIGHEST_OF_USERS);
            }
        }

        @Override
        public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
            if (object.path("value").asInt(0) != old.path("value").asInt(0)) {
                errors.invalid("value", object.path("value"), "field is immutable");
            }
        }
    }

    /** Autoscalers, in their stored version (v2). */
    public static final class Autoscalers implements Strategy {

        @Override
        public Traits traits() {
            return Traits.PLAIN.withStatus();
        }

        @Override
        public void fillDefaults(ObjectNode object) {
            PodDefaults.number(PodDefaults.object(object, "spec"), "minReplicas", 1);
        }

        @Override
        public void beforeCreate(ObjectNode object) {
            object.putObject("status").put("desiredReplicas", 0).putNull("currentMetrics");
        }

        @Override
        public void validate(ObjectNode object, FieldErrors errors) {
            JsonNode spec = object.path("spec");
            if (spec.path("maxReplicas").asInt(0) < 1) {
                errors.invalid("spec.maxReplicas", spec.path("maxReplicas").asString("0"), "must be greater than 0");
            }
        }
    }
}
