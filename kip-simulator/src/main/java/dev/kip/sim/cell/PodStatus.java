package dev.kip.sim.cell;

import com.google.common.hash.Hashing;
import dev.kip.sim.cell.ContainerRun.Role;
import dev.kip.sim.cell.ContainerState.Ended;
import dev.kip.sim.cell.ContainerState.Running;
import dev.kip.sim.cell.ContainerState.Waiting;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A pod's status in kubelet's words (1.34), with the addresses that the agent adds. It remembers when each condition last
 * changed. Confined to the cell's loop.
 */
final class PodStatus {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String hostIp;
    private final Map<String, SavedCell.Condition> conditions = new LinkedHashMap<>();

    PodStatus(String hostIp) {
        this.hostIp = hostIp;
    }

    Map<String, SavedCell.Condition> save() {
        return new LinkedHashMap<>(conditions);
    }

    void thaw(Map<String, SavedCell.Condition> saved) {
        conditions.putAll(saved);
    }

    String write(PodRun pod, Instant now) {
        JsonNode spec = pod.manifest().path("spec");
        String phase = phase(pod);
        ObjectNode status = JSON.createObjectNode();
        JsonNode generation = pod.manifest().path("metadata").path("generation");
        if (generation.isIntegralNumber()) {
            status.set("observedGeneration", generation);
        }
        status.put("phase", phase);
        status.set("conditions", conditions(pod, phase, now));
        pod.failure()
                .ifPresent(reason -> status.put("reason", reason)
                        .put("message", "Pod was active on the node longer than the specified deadline"));
        status.put("hostIP", hostIp);
        status.putArray("hostIPs").addObject().put("ip", hostIp);
        if (pod.hadSandbox()) {
            status.put("podIP", hostIp);
            status.putArray("podIPs").addObject().put("ip", hostIp);
        }
        status.put("startTime", time(pod.startTime()));
        if (!pod.init().isEmpty()) {
            ArrayNode list = status.putArray("initContainerStatuses");
            pod.init().forEach(container -> list.add(container(container)));
        }
        ArrayNode list = status.putArray("containerStatuses");
        pod.ordinary().forEach(container -> list.add(container(container)));
        status.put("qosClass", QosClass.of(spec));
        return status.toString();
    }

    /** As kubelet's getPhase. */
    private static String phase(PodRun pod) {
        if (pod.failure().isPresent() && pod.finished()) {
            return "Failed";
        }
        boolean initialised = pod.init().stream().allMatch(PodStatus::initDone);
        boolean everRan = pod.ordinary().stream().anyMatch(c -> c.restarts() > 0 || !(c.state() instanceof Waiting));
        if (pod.finished()) {
            boolean allWell = pod.ordinary().stream().allMatch(ContainerRun::succeeded);
            return allWell ? "Succeeded" : "Failed";
        }
        if (!initialised && !everRan) {
            return "Pending";
        }
        boolean waiting = pod.ordinary().stream()
                .anyMatch(c -> c.state() instanceof Waiting && c.last().isEmpty());
        return waiting ? "Pending" : "Running";
    }

    private static boolean initDone(ContainerRun container) {
        return container.role() == Role.SIDECAR ? container.started() : container.succeeded();
    }

    private ArrayNode conditions(PodRun pod, String phase, Instant now) {
        boolean ended = phase.equals("Succeeded") || phase.equals("Failed");
        String endedReason = phase.equals("Succeeded") ? "PodCompleted" : "PodFailed";
        set("PodReadyToStartContainers", pod.hasSandbox(), "", "", now);

        List<String> incomplete = new ArrayList<>();
        pod.init().stream().filter(c -> !initDone(c)).forEach(c -> incomplete.add(c.name()));
        if (ended && phase.equals("Succeeded")) {
            set("Initialized", true, "PodCompleted", "", now);
        } else if (incomplete.isEmpty() || (ended && anyOrdinaryEnded(pod))) {
            set("Initialized", true, "", "", now);
        } else {
            set(
                    "Initialized",
                    false,
                    "ContainersNotInitialized",
                    "containers with incomplete status: " + go(incomplete),
                    now);
        }

        List<String> unready = new ArrayList<>();
        pod.init().stream().filter(c -> c.role() == Role.SIDECAR && !c.ready()).forEach(c -> unready.add(c.name()));
        pod.ordinary().stream().filter(c -> !c.ready()).forEach(c -> unready.add(c.name()));
        String reason = ended ? endedReason : "ContainersNotReady";
        String message = ended ? "" : "containers with unready status: " + go(unready);
        boolean containersReady = unready.isEmpty() && !ended;
        List<String> gates = unsatisfiedGates(pod.manifest());
        if (!containersReady) {
            set("Ready", false, reason, message, now);
            set("ContainersReady", false, reason, message, now);
        } else {
            if (gates.isEmpty()) {
                set("Ready", true, "", "", now);
            } else {
                set(
                        "Ready",
                        false,
                        "ReadinessGatesNotReady",
                        "the status of pod readiness gate " + go(gates) + " is not \"True\"",
                        now);
            }
            set("ContainersReady", true, "", "", now);
        }
        set("PodScheduled", true, "", "", now);
        return list();
    }

    private static boolean anyOrdinaryEnded(PodRun pod) {
        return pod.ordinary().stream().anyMatch(c -> c.ended().isPresent());
    }

    private static List<String> unsatisfiedGates(JsonNode manifest) {
        List<String> unsatisfied = new ArrayList<>();
        for (JsonNode gate : manifest.path("spec").path("readinessGates")) {
            boolean holds = false;
            for (JsonNode condition : manifest.path("status").path("conditions")) {
                holds |= condition.path("type").equals(gate.path("conditionType"))
                        && condition.path("status").asString("").equals("True");
            }
            if (!holds) {
                unsatisfied.add(gate.path("conditionType").asString(""));
            }
        }
        return unsatisfied;
    }

    private void set(String type, boolean holds, String reason, String message, Instant now) {
        Optional<SavedCell.Condition> before = Optional.ofNullable(conditions.get(type));
        Instant since = before.filter(c -> c.holds() == holds)
                .map(SavedCell.Condition::since)
                .orElse(now);
        conditions.put(type, new SavedCell.Condition(holds, reason, message, since));
    }

    private ArrayNode list() {
        ArrayNode list = JSON.createArrayNode();
        conditions.forEach((type, condition) -> {
            ObjectNode entry = list.addObject();
            entry.put("type", type);
            entry.put("status", condition.holds() ? "True" : "False");
            entry.putNull("lastProbeTime");
            entry.put("lastTransitionTime", time(condition.since()));
            if (!condition.reason().isEmpty()) {
                entry.put("reason", condition.reason());
            }
            if (!condition.message().isEmpty()) {
                entry.put("message", condition.message());
            }
        });
        return list;
    }

    /** As Go prints a list of strings. */
    private static String go(List<String> names) {
        return "[" + String.join(" ", names) + "]";
    }

    private static ObjectNode container(ContainerRun container) {
        ObjectNode status = JSON.createObjectNode();
        boolean never = container.state() instanceof Waiting && container.last().isEmpty();
        status.put("name", container.name());
        status.set("state", state(container.state()));
        status.set("lastState", container.last().map(PodStatus::state).orElseGet(JSON::createObjectNode));
        status.put("ready", container.role() == Role.INIT ? container.succeeded() : container.ready());
        status.put("restartCount", container.restarts());
        status.put("image", never ? container.image() : reference(container.image()));
        status.put("imageID", never ? "" : imageId(container.image()));
        id(container).ifPresent(id -> status.put("containerID", id));
        status.put("started", container.started());
        return status;
    }

    private static Optional<String> id(ContainerRun container) {
        if (container.state() instanceof Running running) {
            return Optional.of(running.id());
        }
        return container.ended().or(container::last).map(Ended::id);
    }

    private static ObjectNode state(ContainerState state) {
        ObjectNode json = JSON.createObjectNode();
        if (state instanceof Waiting waiting) {
            ObjectNode entry = json.putObject("waiting");
            entry.put("reason", waiting.reason());
            if (!waiting.message().isEmpty()) {
                entry.put("message", waiting.message());
            }
        } else if (state instanceof Running running) {
            json.putObject("running").put("startedAt", time(running.startedAt()));
        } else if (state instanceof Ended ended) {
            json.putObject("terminated")
                    .put("exitCode", ended.exitCode())
                    .put("reason", ended.reason())
                    .put("startedAt", time(ended.startedAt()))
                    .put("finishedAt", time(ended.finishedAt()))
                    .put("containerID", ended.id());
        }
        return json;
    }

    /** As containerd names it: with registry, path and tag. */
    private static String reference(String image) {
        int slash = image.indexOf('/');
        boolean registry = slash > 0 && image.substring(0, slash).matches(".*[.:].*|localhost");
        String full = registry ? image : "docker.io/" + (slash < 0 ? "library/" : "") + image;
        boolean tagged = full.lastIndexOf(':') > full.lastIndexOf('/');
        return tagged || full.contains("@") ? full : full + ":latest";
    }

    private static String imageId(String image) {
        String reference = reference(image);
        int at = reference.indexOf('@');
        int end = at >= 0 ? at : reference.lastIndexOf(':');
        return reference.substring(0, end) + "@sha256:"
                + Hashing.sha256().hashString(reference, StandardCharsets.UTF_8);
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
