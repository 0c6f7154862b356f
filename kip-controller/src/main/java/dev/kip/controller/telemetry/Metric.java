package dev.kip.controller.telemetry;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import java.util.Locale;

/** Every metric of ours. Names are those that Prometheus sees; docs/reference/metrics.md comes from this table. */
public enum Metric {
    BUILD("kip_build", Kind.GAUGE, "Always 1; the label is the version.", "version"),
    LEADER("kip_leader", Kind.GAUGE, "1 while this process leads, else 0."),
    EPOCH("kip_epoch", Kind.GAUGE, "Epoch of this incarnation; 0 before it may mutate."),
    SYNCED("kip_synced", Kind.GAUGE, "1 once all that the first decision needs is known, else 0."),
    API_SERVER_REACHABLE(
            "kip_api_server_reachable",
            Kind.GAUGE,
            "1 if the API server answered the last request sent to it, else 0."),
    CALL_DURATION(
            "kip_call_duration_seconds",
            Kind.HISTOGRAM,
            "Calls by what was called and what came of it. port: kube, cloud or cell; outcome: ok or the kind of error.",
            "port",
            "verb",
            "outcome"),
    CLOUD_WAITING(
            "kip_cloud_calls_waiting",
            Kind.GAUGE,
            "Calls to the cloud that wait until its request limits, as the controller knows them, let them through."),
    CLOUD_PACE(
            "kip_cloud_pace_percent",
            Kind.GAUGE,
            "Which part of the documented refill of a token bucket of EC2's is counted on: less than 100 after a"
                    + " RequestLimitExceeded, when somebody else takes from the account's bucket.",
            "bucket"),
    CLOUD_TROUBLE(
            "kip_cloud_trouble",
            Kind.GAUGE,
            "1 while calls to the cloud end in an error of this kind that concerns the whole virtual node, else 0.",
            "kind"),
    CLOUD_EVENTS(
            "kip_cloud_events_total",
            Kind.COUNTER,
            "Messages of the event queue. kind: Interruption, Rebalance, StateChange, Unknown, or Poison for what is no"
                    + " event at all.",
            "kind"),
    LAUNCH_ASKED("kip_launch_instances_asked_total", Kind.COUNTER, "Instances asked for in answered launch calls."),
    LAUNCH_GOT("kip_launch_instances_got_total", Kind.COUNTER, "Instances that launch calls brought."),
    RECONCILED_KEYS("kip_reconciled_keys_total", Kind.COUNTER, "Keys decided."),
    RECONCILE_DURATION("kip_reconcile_duration_seconds", Kind.HISTOGRAM, "Runs of decisions."),
    PODS("kip_pods", Kind.GAUGE, "Pods on the node by phase.", "phase"),
    CELLS("kip_cells", Kind.GAUGE, "Cells by phase.", "phase"),
    COST(
            "kip_cost_usd_per_hour",
            Kind.GAUGE,
            "What the instances of this node's pods cost an hour, from launch to end: list prices on demand, the zone's"
                    + " price for spot; no volumes, no traffic, no instances without a pod.",
            "namespace",
            "market"),
    POD_COST(
            "kip_pod_cost_usd_per_hour",
            Kind.GAUGE,
            "The same for single pods, the first 500 of those there are.",
            "namespace",
            "pod"),
    UNPRICED("kip_cost_unpriced_cells", Kind.GAUGE, "Cells whose price is not known, and that are not in the cost."),
    OVER_BUDGET(
            "kip_budget_waiting_pods",
            Kind.GAUGE,
            "Pods that wait because launching for them would go over budget.hourlyUSD or their namespace's."),
    GC_CANDIDATES(
            "kip_gc_candidates",
            Kind.GAUGE,
            "Instances that are provably ours and that nothing claims; ended if they stay so."),
    GC_SUSPECTS(
            "kip_gc_suspects",
            Kind.GAUGE,
            "Instances that carry our id with a part of the proof missing; they cost and are never ended."),
    GC_INSTANCES(
            "kip_gc_instances_total",
            Kind.COUNTER,
            "Instances collected. outcome: ended, or dryRun where gc.dryRun is set.",
            "outcome"),
    GC_BREAKER_OPEN(
            "kip_gc_breaker_open",
            Kind.GAUGE,
            "1 while collection is stopped by its budget or because the world looks unlikely, else 0."),
    ANOMALIES("kip_anomalies_total", Kind.COUNTER, "What should not happen and was ridden out.", "what"),
    LOOP_LAG("kip_loop_lag_seconds", Kind.GAUGE, "By how much the loop's last pulse came late."),
    LOOP_TASK_DURATION(
            "kip_loop_task_duration_seconds",
            Kind.HISTOGRAM,
            "For how long single tasks kept the loop: nothing else was decided meanwhile.");

    private final String exposed;
    private final Kind kind;
    private final String help;
    private final ImmutableList<String> labels;

    Metric(String exposed, Kind kind, String help, String... labels) {
        this.exposed = exposed;
        this.kind = kind;
        this.help = help;
        this.labels = ImmutableList.copyOf(labels);
    }

    /** As Prometheus sees it. */
    public String exposed() {
        return exposed;
    }

    public String help() {
        return help;
    }

    /** docs/reference/metrics.md. */
    public static String reference() {
        StringBuilder text = new StringBuilder("""
                # Metrics

                <!-- Generated from dev.kip.controller.telemetry.Metric. Do not edit. -->

                The controller serves `/metrics` in the text format of Prometheus on `--metrics-port`. Besides these there are
                `jvm_*` and `process_*`, which micrometer provides.

                | name | type | labels | meaning |
                |---|---|---|---|
                """);
        for (Metric metric : values()) {
            text.append("| `").append(metric.exposed).append("` | ");
            text.append(metric.kind.name().toLowerCase(Locale.ROOT)).append(" | ");
            text.append(metric.labels.isEmpty() ? "-" : "`" + Joiner.on("`, `").join(metric.labels) + "`");
            text.append(" | ").append(metric.help).append(" |\n");
        }
        return text.toString();
    }

    ImmutableList<String> labels() {
        return labels;
    }

    /** Prometheus' types. */
    enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM
    }
}
