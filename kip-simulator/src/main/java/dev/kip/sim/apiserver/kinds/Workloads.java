package dev.kip.sim.apiserver.kinds;

import dev.kip.sim.apiserver.kinds.Traits.Generation;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.selector.LabelSelector;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Kinds that run pods from a template until told otherwise: Deployment, ReplicaSet, DaemonSet, StatefulSet, ReplicationController. */
public final class Workloads implements Strategy {

    private final String kind;
    private final Traits traits;

    /** @param kind one of the kinds above */
    public Workloads(String kind) {
        this.kind = kind;
        this.traits = kind.equals("Deployment")
                ? Traits.SPEC_AND_STATUS.generation(Generation.SPEC_AND_ANNOTATIONS)
                : Traits.SPEC_AND_STATUS;
    }

    @Override
    public Traits traits() {
        return traits;
    }

    @Override
    public void fillDefaults(ObjectNode object) {
        ObjectNode spec = PodDefaults.object(object, "spec");
        if (!kind.equals("DaemonSet")) {
            PodDefaults.number(spec, "replicas", 1);
        }
        switch (kind) {
            case "Deployment" -> fillDeployment(spec);
            case "DaemonSet" -> {
                PodDefaults.number(spec, "revisionHistoryLimit", 10);
                rollingUpdate(PodDefaults.object(spec, "updateStrategy"), "maxSurge", 0, "maxUnavailable", 1);
            }
            case "StatefulSet" -> fillStatefulSet(spec);
            case "ReplicationController" -> fillController(object, spec);
            default -> {}
        }
        if (spec.path("template").get("spec") instanceof ObjectNode pod) {
            PodDefaults.fill(pod);
        }
    }

    private static void fillDeployment(ObjectNode spec) {
        PodDefaults.number(spec, "revisionHistoryLimit", 10);
        PodDefaults.number(spec, "progressDeadlineSeconds", 600);
        ObjectNode strategy = PodDefaults.object(spec, "strategy");
        PodDefaults.text(strategy, "type", "RollingUpdate");
        if (strategy.path("type").asString("").equals("RollingUpdate")) {
            ObjectNode rolling = PodDefaults.object(strategy, "rollingUpdate");
            PodDefaults.text(rolling, "maxUnavailable", "25%");
            PodDefaults.text(rolling, "maxSurge", "25%");
        }
    }

    private static void fillStatefulSet(ObjectNode spec) {
        PodDefaults.number(spec, "revisionHistoryLimit", 10);
        PodDefaults.text(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = PodDefaults.object(spec, "updateStrategy");
        PodDefaults.text(strategy, "type", "RollingUpdate");
        if (strategy.path("type").asString("").equals("RollingUpdate")) {
            PodDefaults.number(PodDefaults.object(strategy, "rollingUpdate"), "partition", 0);
        }
        ObjectNode retention = PodDefaults.object(spec, "persistentVolumeClaimRetentionPolicy");
        PodDefaults.text(retention, "whenDeleted", "Retain");
        PodDefaults.text(retention, "whenScaled", "Retain");
    }

    private static void rollingUpdate(
            ObjectNode strategy, String first, int firstValue, String second, int secondValue) {
        PodDefaults.text(strategy, "type", "RollingUpdate");
        if (strategy.path("type").asString("").equals("RollingUpdate")) {
            ObjectNode rolling = PodDefaults.object(strategy, "rollingUpdate");
            PodDefaults.number(rolling, first, firstValue);
            PodDefaults.number(rolling, second, secondValue);
        }
    }

    private static void fillController(ObjectNode object, ObjectNode spec) {
        JsonNode labels = spec.path("template").path("metadata").path("labels");
        if (labels.isObject() && !spec.has("selector")) {
            spec.set("selector", labels.deepCopy());
        }
        if (labels.isObject() && !object.path("metadata").has("labels")) {
            object.withObjectProperty("metadata").set("labels", labels.deepCopy());
        }
    }

    @Override
    public void beforeCreate(ObjectNode object) {
        object.putObject("status");
        if (!kind.equals("DaemonSet") && !kind.equals("Deployment")) {
            object.withObjectProperty("status").put("replicas", 0);
        }
        if (kind.equals("DaemonSet")) {
            object.withObjectProperty("status")
                    .put("currentNumberScheduled", 0)
                    .put("numberMisscheduled", 0)
                    .put("desiredNumberScheduled", 0)
                    .put("numberReady", 0);
        }
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        JsonNode spec = object.path("spec");
        if (spec.path("replicas").asInt(0) < 0) {
            errors.invalid("spec.replicas", spec.path("replicas"), "must be greater than or equal to 0");
        }
        if (!kind.equals("ReplicationController")) {
            validateSelector(spec, errors);
        }
        JsonNode template = spec.path("template");
        if (!template.isObject()) {
            errors.required("spec.template", "");
            return;
        }
        Metadata.validateLabels(
                "spec.template.labels", template.path("metadata").path("labels"), errors);
        PodValidation.validate(template.path("spec"), "spec.template.spec", errors);
        String restart = template.path("spec").path("restartPolicy").asString("Always");
        if (restart.equals("Never") || restart.equals("OnFailure")) {
            errors.notSupported("spec.template.spec.restartPolicy", restart, java.util.List.of("Always"));
        }
    }

    private void validateSelector(JsonNode spec, FieldErrors errors) {
        JsonNode selector = spec.path("selector");
        if (!selector.isObject()) {
            errors.required("spec.selector", "");
        } else if (selector.path("matchLabels").isEmpty()
                && selector.path("matchExpressions").isEmpty()) {
            errors.invalid("spec.selector", "{}", "empty selector is invalid for " + kind.toLowerCase(Locale.ROOT));
            return;
        }
        // A selector that is missing matches nothing, so the template does not match either.
        JsonNode labels = spec.path("template").path("metadata").path("labels");
        if (spec.path("template").isObject() && !LabelSelector.of(selector).matches(labels)) {
            errors.invalid(
                    "spec.template.metadata.labels",
                    labels.isObject() ? labels.toString() : "null",
                    "`selector` does not match template `labels`");
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        JsonNode selector = object.path("spec").path("selector");
        if (!kind.equals("ReplicationController")
                && !kind.equals("StatefulSet")
                && !selector.equals(old.path("spec").path("selector"))) {
            errors.invalid("spec.selector", selector, "field is immutable");
        }
        if (kind.equals("StatefulSet") && !changeable(object).equals(changeable(old))) {
            errors.forbidden(
                    "spec",
                    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy',"
                            + " 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are"
                            + " forbidden");
        }
    }

    private static JsonNode changeable(ObjectNode object) {
        return ((ObjectNode) object.path("spec").deepCopy())
                .without(java.util.List.of(
                        "replicas",
                        "ordinals",
                        "template",
                        "updateStrategy",
                        "revisionHistoryLimit",
                        "persistentVolumeClaimRetentionPolicy",
                        "minReadySeconds"));
    }
}
