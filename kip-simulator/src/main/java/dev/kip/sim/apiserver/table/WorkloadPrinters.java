package dev.kip.sim.apiserver.table;

import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;

/** The kinds that own pods. */
final class WorkloadPrinters {

    private static final String CONTAINERS = "/spec/template/spec/containers";

    private WorkloadPrinters() {}

    static ImmutableMap<String, Printer> printers() {
        return ImmutableMap.<String, Printer>builder()
                .put("apps/deployments", deployments())
                .put("apps/replicasets", replicas().selector("/spec/selector").build())
                .put(
                        "/replicationcontrollers",
                        replicas()
                                .wide("Selector", item -> Cells.labels(item.at("/spec/selector")))
                                .build())
                .put("apps/daemonsets", daemonSets())
                .put("apps/statefulsets", statefulSets())
                .put("batch/jobs", jobs())
                .put("batch/cronjobs", cronJobs())
                .buildOrThrow();
    }

    private static Printer deployments() {
        return Printer.named()
                .value("Ready", WorkloadPrinters::readyOfDesired)
                .value("Up-to-date", item -> item.at("/status/updatedReplicas").asLong(0))
                .value("Available", item -> item.at("/status/availableReplicas").asLong(0))
                .age()
                .template(CONTAINERS)
                .selector("/spec/selector")
                .build();
    }

    private static Printer.Builder replicas() {
        return Printer.named()
                .number("Desired", "/spec/replicas")
                .number("Current", "/status/replicas")
                .number("Ready", "/status/readyReplicas")
                .age()
                .template(CONTAINERS);
    }

    private static Printer daemonSets() {
        return Printer.named()
                .number("Desired", "/status/desiredNumberScheduled")
                .number("Current", "/status/currentNumberScheduled")
                .number("Ready", "/status/numberReady")
                .number("Up-to-date", "/status/updatedNumberScheduled")
                .number("Available", "/status/numberAvailable")
                .value("Node Selector", item -> Cells.labels(item.at("/spec/template/spec/nodeSelector")))
                .age()
                .template(CONTAINERS)
                .selector("/spec/selector")
                .build();
    }

    private static Printer statefulSets() {
        return Printer.named()
                .value("Ready", WorkloadPrinters::readyOfDesired)
                .age()
                .template(CONTAINERS)
                .build();
    }

    private static Printer jobs() {
        return Printer.named()
                .value("Status", WorkloadPrinters::jobStatus)
                .value("Completions", WorkloadPrinters::completions)
                .timed("Duration", WorkloadPrinters::duration)
                .age()
                .template(CONTAINERS)
                .selector("/spec/selector")
                .build();
    }

    private static Printer cronJobs() {
        return Printer.named()
                .text("Schedule", "/spec/schedule")
                .value("Timezone", item -> Cells.textOr(item, "/spec/timeZone", Cells.NONE))
                .value("Suspend", "boolean", item -> Cells.flag(item.at("/spec/suspend")))
                .value("Active", "integer", item -> item.at("/status/active").size())
                .timed(
                        "Last Schedule",
                        (item, now) ->
                                Cells.text(item, "/status/lastScheduleTime").isEmpty()
                                        ? Cells.NONE
                                        : Cells.since(item, "/status/lastScheduleTime", now))
                .age()
                .template("/spec/jobTemplate" + CONTAINERS)
                .selector("/spec/jobTemplate/spec/selector")
                .build();
    }

    private static String readyOfDesired(JsonNode item) {
        return item.at("/status/readyReplicas").asLong(0) + "/"
                + item.at("/spec/replicas").asLong(0);
    }

    private static String jobStatus(JsonNode job) {
        if (Cells.condition(job, "Complete").equals("True")) {
            return "Complete";
        }
        if (Cells.condition(job, "Failed").equals("True")) {
            return "Failed";
        }
        if (job.at("/metadata").hasNonNull("deletionTimestamp")) {
            return "Terminating";
        }
        for (String type : new String[] {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
            if (Cells.condition(job, type).equals("True")) {
                return type;
            }
        }
        return "Running";
    }

    private static String completions(JsonNode job) {
        long succeeded = job.at("/status/succeeded").asLong(0);
        JsonNode wanted = job.at("/spec/completions");
        if (wanted.isNumber()) {
            return succeeded + "/" + wanted.asLong();
        }
        long parallelism = job.at("/spec/parallelism").asLong(0);
        return parallelism > 1 ? succeeded + "/1 of " + parallelism : succeeded + "/1";
    }

    private static String duration(JsonNode job, Instant now) {
        String start = Cells.text(job, "/status/startTime");
        if (start.isEmpty()) {
            return "";
        }
        String end = Cells.text(job, "/status/completionTime");
        return end.isEmpty()
                ? HumanDuration.since(start, now)
                : HumanDuration.of(Duration.between(Instant.parse(start), Instant.parse(end)));
    }
}
