package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.schema.FieldErrors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Jobs. */
public final class Jobs implements Strategy {

    private static final ImmutableSet<String> RESTART_POLICIES = ImmutableSet.of("Never", "OnFailure");

    @Override
    public Traits traits() {
        return Traits.SPEC_AND_STATUS;
    }

    @Override
    public void fillDefaults(ObjectNode job) {
        fillSpec(PodDefaults.object(job, "spec"));
    }

    static void fillSpec(ObjectNode spec) {
        if (!spec.has("completions") && !spec.has("parallelism")) {
            spec.put("completions", 1);
        }
        PodDefaults.number(spec, "parallelism", 1);
        PodDefaults.number(spec, "backoffLimit", 6);
        PodDefaults.text(spec, "completionMode", "NonIndexed");
        PodDefaults.flag(spec, "suspend", false);
        PodDefaults.text(spec, "podReplacementPolicy", spec.has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
        if (spec.path("template").get("spec") instanceof ObjectNode pod) {
            PodDefaults.fill(pod);
        }
    }

    @Override
    public void beforeCreate(ObjectNode job) {
        job.putObject("status");
        ObjectNode spec = job.withObjectProperty("spec");
        if (spec.path("manualSelector").asBoolean(false)) {
            return;
        }
        String uid = job.path("metadata").path("uid").asString("");
        String name = job.path("metadata").path("name").asString("");
        spec.putObject("selector").putObject("matchLabels").put("batch.kubernetes.io/controller-uid", uid);
        if (spec.get("template") instanceof ObjectNode template) {
            ObjectNode labels = template.withObjectProperty("metadata").withObjectProperty("labels");
            labels.put("batch.kubernetes.io/controller-uid", uid)
                    .put("batch.kubernetes.io/job-name", name)
                    .put("controller-uid", uid)
                    .put("job-name", name);
        }
    }

    @Override
    public void validate(ObjectNode job, FieldErrors errors) {
        validateSpec(job.path("spec"), "spec", errors);
    }

    static void validateSpec(JsonNode spec, String path, FieldErrors errors) {
        for (String field : ImmutableSet.of("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds")) {
            if (spec.path(field).asInt(0) < 0) {
                errors.invalid(path + "." + field, spec.path(field), "must be greater than or equal to 0");
            }
        }
        PodValidation.validate(spec.path("template").path("spec"), path + ".template.spec", errors);
        String restart =
                spec.path("template").path("spec").path("restartPolicy").asString("");
        if (restart.equals("Always")) {
            errors.required(path + ".template.spec.restartPolicy", "valid values: \"OnFailure\", \"Never\"");
        } else if (!RESTART_POLICIES.contains(restart)) {
            errors.notSupported(path + ".template.spec.restartPolicy", restart, ImmutableSet.of("OnFailure", "Never"));
        }
    }

    @Override
    public void validateUpdate(ObjectNode job, ObjectNode old, FieldErrors errors) {
        for (String field : ImmutableSet.of("selector", "template", "completionMode")) {
            JsonNode now = job.path("spec").path(field);
            if (!now.equals(old.path("spec").path(field))
                    && !old.path("spec").path("suspend").asBoolean(false)) {
                errors.invalid("spec." + field, now, "field is immutable");
            }
        }
    }
}
