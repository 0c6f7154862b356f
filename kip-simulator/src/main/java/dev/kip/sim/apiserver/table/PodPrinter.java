package dev.kip.sim.apiserver.table;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Sums up a pod in one line as {@code printPod} of kube-apiserver does; the order of the steps matters. */
final class PodPrinter {

    private final JsonNode pod;
    private final Map<String, JsonNode> initContainers = new TreeMap<>();

    private String reason;
    private int ready;
    private int containers;
    private Restarts restarts = new Restarts();

    /** A count, and when the last of them ended; empty if not known. */
    private static final class Restarts {
        private long count;
        private String last = "";

        void add(JsonNode status) {
            count += status.path("restartCount").asLong(0);
            String finished = status.at("/lastState/terminated/finishedAt").asString("");
            if (finished.compareTo(last) > 0) {
                last = finished;
            }
        }
    }

    private PodPrinter(JsonNode pod) {
        this.pod = pod;
        reason = Cells.textOr(pod, "/status/reason", Cells.text(pod, "/status/phase"));
        containers = pod.at("/spec/containers").size();
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asString("").equals("PodScheduled")
                    && condition.path("reason").asString("").equals("SchedulingGated")) {
                reason = "SchedulingGated";
            }
        }
        boolean initializing = sumUpInitContainers();
        if (!initializing || Cells.condition(pod, "Initialized").equals("True")) {
            sumUpContainers();
        }
        if (pod.at("/metadata").hasNonNull("deletionTimestamp")) {
            String phase = Cells.text(pod, "/status/phase");
            if (Cells.text(pod, "/status/reason").equals("NodeLost")) {
                reason = "Unknown";
            } else if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
                reason = "Terminating";
            }
        }
    }

    static Printer printer() {
        return Printer.named()
                .value("Ready", pod -> new PodPrinter(pod).readiness())
                .value("Status", pod -> new PodPrinter(pod).reason)
                .timed("Restarts", (pod, now) -> new PodPrinter(pod).restarts(now))
                .age()
                .wide("IP", pod -> Cells.textOr(pod, "/status/podIPs/0/ip", Cells.NONE))
                .wide("Node", pod -> Cells.textOr(pod, "/spec/nodeName", Cells.NONE))
                .wide("Nominated Node", pod -> Cells.textOr(pod, "/status/nominatedNodeName", Cells.NONE))
                .wide("Readiness Gates", PodPrinter::gates)
                .build();
    }

    private String readiness() {
        return ready + "/" + containers;
    }

    private String restarts(Instant now) {
        return restarts.count == 0 || restarts.last.isEmpty()
                ? Long.toString(restarts.count)
                : restarts.count + " (" + HumanDuration.since(restarts.last, now) + " ago)";
    }

    private static String gates(JsonNode pod) {
        JsonNode gates = pod.at("/spec/readinessGates");
        if (gates.isEmpty()) {
            return Cells.NONE;
        }
        int open = 0;
        for (JsonNode gate : gates) {
            if (Cells.condition(pod, gate.path("conditionType").asString("")).equals("True")) {
                open++;
            }
        }
        return open + "/" + gates.size();
    }

    private boolean sumUpInitContainers() {
        JsonNode specs = pod.at("/spec/initContainers");
        for (JsonNode spec : specs) {
            initContainers.put(spec.path("name").asString(""), spec);
            if (isSidecar(spec.path("name").asString(""))) {
                containers++;
            }
        }
        Restarts all = new Restarts();
        Restarts ofSidecars = new Restarts();
        int index = 0;
        boolean initializing = false;
        for (JsonNode status : pod.at("/status/initContainerStatuses")) {
            boolean sidecar = isSidecar(status.path("name").asString(""));
            all.add(status);
            if (sidecar) {
                ofSidecars.add(status);
            }
            JsonNode ended = status.at("/state/terminated");
            if (ended.isObject() && ended.path("exitCode").asInt(0) == 0) {
                index++;
                continue;
            }
            if (sidecar && status.path("started").asBoolean(false)) {
                if (status.path("ready").asBoolean(false)) {
                    ready++;
                }
                index++;
                continue;
            }
            String waiting = status.at("/state/waiting/reason").asString("");
            if (ended.isObject()) {
                reason = "Init:" + ended(ended);
            } else if (!waiting.isEmpty() && !waiting.equals("PodInitializing")) {
                reason = "Init:" + waiting;
            } else {
                reason = "Init:" + index + "/" + specs.size();
            }
            initializing = true;
            break;
        }
        restarts = initializing && !Cells.condition(pod, "Initialized").equals("True") ? all : ofSidecars;
        return initializing;
    }

    private void sumUpContainers() {
        boolean running = false;
        JsonNode statuses = pod.at("/status/containerStatuses");
        for (int i = statuses.size() - 1; i >= 0; i--) {
            JsonNode status = statuses.get(i);
            restarts.add(status);
            String waiting = status.at("/state/waiting/reason").asString("");
            JsonNode ended = status.at("/state/terminated");
            if (!waiting.isEmpty()) {
                reason = waiting;
            } else if (ended.isObject()) {
                reason = ended(ended);
            } else if (status.path("ready").asBoolean(false)
                    && status.at("/state/running").isObject()) {
                running = true;
                ready++;
            }
        }
        if (reason.equals("Completed") && running) {
            reason = Cells.condition(pod, "Ready").equals("True") ? "Running" : "NotReady";
        }
    }

    private static String ended(JsonNode terminated) {
        String given = terminated.path("reason").asString("");
        if (!given.isEmpty()) {
            return given;
        }
        int signal = terminated.path("signal").asInt(0);
        return signal != 0
                ? "Signal:" + signal
                : "ExitCode:" + terminated.path("exitCode").asInt(0);
    }

    private boolean isSidecar(String name) {
        JsonNode spec = initContainers.get(name);
        return spec != null && spec.path("restartPolicy").asString("").equals("Always");
    }
}
