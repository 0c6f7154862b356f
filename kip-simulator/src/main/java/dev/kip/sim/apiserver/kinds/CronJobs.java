package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.schema.FieldErrors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** CronJobs. */
public final class CronJobs implements Strategy {

    private static final ImmutableSet<String> POLICIES = ImmutableSet.of("Allow", "Forbid", "Replace");

    @Override
    public Traits traits() {
        return Traits.SPEC_AND_STATUS;
    }

    @Override
    public void fillDefaults(ObjectNode object) {
        ObjectNode spec = PodDefaults.object(object, "spec");
        PodDefaults.text(spec, "concurrencyPolicy", "Allow");
        PodDefaults.flag(spec, "suspend", false);
        PodDefaults.number(spec, "successfulJobsHistoryLimit", 3);
        PodDefaults.number(spec, "failedJobsHistoryLimit", 1);
        // The template of a job gets the defaults of its pods only; the rest is filled in when the job is made.
        if (spec.path("jobTemplate").path("spec").path("template").get("spec") instanceof ObjectNode pod) {
            PodDefaults.fill(pod);
        }
    }

    @Override
    public void beforeCreate(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        JsonNode spec = object.path("spec");
        String schedule = spec.path("schedule").asString("");
        if (schedule.isEmpty()) {
            errors.required("spec.schedule", "");
        } else if (!schedule.startsWith("@") && schedule.trim().split("\\s+").length != 5) {
            int fields = schedule.trim().split("\\s+").length;
            errors.invalid(
                    "spec.schedule",
                    FieldErrors.quoted(schedule),
                    "expected exactly 5 fields, found " + fields + ": [" + schedule.trim() + "]");
        }
        String policy = spec.path("concurrencyPolicy").asString("");
        if (!POLICIES.contains(policy)) {
            errors.notSupported("spec.concurrencyPolicy", policy, POLICIES);
        }
        Jobs.validateSpec(spec.path("jobTemplate").path("spec"), "spec.jobTemplate.spec", errors);
    }
}
