package dev.kip.controller.kubelet;

import com.google.common.collect.ImmutableListMultimap;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What one pod used, as its cell's kubelet told it: its name is the user's again, and all that is told onwards is text
 * already, since a node may have ten thousand pods.
 *
 * @param at when the kubelet measured
 * @param cpuSeconds spent since the pod began
 * @param json a {@code PodStats} of kubelet's stats/v1alpha1
 * @param lines of {@code /metrics/resource}, by family
 */
record PodFigures(
        Instant at,
        BigDecimal cpuSeconds,
        long nanoCores,
        long usageBytes,
        long workingSetBytes,
        long rssBytes,
        String json,
        ImmutableListMultimap<String, String> lines) {

    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

    /**
     * Finds the pod in a {@code Summary}.
     *
     * @param theirs what the cell's kubelet calls the pod
     * @return empty if it is not there, or was not measured yet
     */
    static Optional<PodFigures> read(String summary, String theirs, String namespace, String name, String uid) {
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(summary);
        } catch (JacksonException e) {
            return Optional.empty();
        }
        for (JsonNode found : root.path("pods")) {
            if (found instanceof ObjectNode pod
                    && found.path("podRef").path("name").asString("").equals(theirs)) {
                pod.putObject("podRef")
                        .put("name", name)
                        .put("namespace", namespace)
                        .put("uid", uid);
                fillAvailable(pod, root.path("node").path("memory").path("availableBytes"));
                return read(pod, namespace, name);
            }
        }
        return Optional.empty();
    }

    /** Without a limit of its own a pod, or a container, may take what its cell has left. */
    private static void fillAvailable(ObjectNode pod, JsonNode left) {
        if (left.isNumber()) {
            fill(pod.path("memory"), left);
            pod.path("containers").forEach(container -> fill(container.path("memory"), left));
        }
    }

    private static void fill(JsonNode memory, JsonNode left) {
        if (memory instanceof ObjectNode object && !object.has("availableBytes")) {
            object.set("availableBytes", left);
        }
    }

    private static Optional<PodFigures> read(ObjectNode pod, String namespace, String name) {
        JsonNode cpu = pod.path("cpu");
        JsonNode memory = pod.path("memory");
        Optional<Instant> at = time(cpu.path("time"));
        if (at.isEmpty()) {
            return Optional.empty();
        }
        ImmutableListMultimap.Builder<String, String> lines = ImmutableListMultimap.builder();
        for (JsonNode container : pod.path("containers")) {
            // The order means nothing to Prometheus; the virtual-kubelet project's suite takes the second for the
            // pod's.
            String labels = "container=\"" + container.path("name").asString("") + "\",pod=\"" + name
                    + "\",namespace=\"" + namespace + "\"";
            usage(lines, "container", labels, container);
            time(container.path("startTime"))
                    .ifPresent(start -> lines.put(
                            "container_start_time_seconds",
                            "container_start_time_seconds{" + labels + "} " + seconds(start)));
        }
        usage(lines, "pod", "namespace=\"" + namespace + "\",pod=\"" + name + "\"", pod);
        return Optional.of(new PodFigures(
                at.get(),
                seconds(cpu.path("usageCoreNanoSeconds")),
                cpu.path("usageNanoCores").asLong(0),
                memory.path("usageBytes").asLong(0),
                memory.path("workingSetBytes").asLong(0),
                memory.path("rssBytes").asLong(0),
                pod.toString(),
                lines.build()));
    }

    private static void usage(
            ImmutableListMultimap.Builder<String, String> lines, String of, String labels, JsonNode stats) {
        line(lines, of + "_cpu_usage_seconds_total", labels, stats.path("cpu"), "usageCoreNanoSeconds", true);
        line(lines, of + "_memory_working_set_bytes", labels, stats.path("memory"), "workingSetBytes", false);
        line(lines, of + "_swap_usage_bytes", labels, stats.path("swap"), "swapUsageBytes", false);
    }

    private static void line(
            ImmutableListMultimap.Builder<String, String> lines,
            String family,
            String labels,
            JsonNode stats,
            String field,
            boolean nanos) {
        JsonNode value = stats.path(field);
        Optional<Instant> at = time(stats.path("time"));
        if (value.isNumber() && at.isPresent()) {
            String number = nanos ? seconds(value).toPlainString() : value.asString();
            lines.put(
                    family,
                    family + "{" + labels + "} " + number + " " + at.get().toEpochMilli());
        }
    }

    private static BigDecimal seconds(JsonNode nanos) {
        return BigDecimal.valueOf(nanos.asLong(0)).divide(NANOS);
    }

    private static String seconds(Instant at) {
        return BigDecimal.valueOf(at.getEpochSecond())
                .add(BigDecimal.valueOf(at.getNano()).divide(NANOS))
                .toPlainString();
    }

    private static Optional<Instant> time(JsonNode text) {
        try {
            return Optional.of(Instant.parse(text.asString("")));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
