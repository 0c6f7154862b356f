package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.cri.PodRuntime.Standing;
import dev.kip.checkpointer.generation.Trees;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The pod's status in the names of the API server's pod, from what the cell's kubelet says of the static pod: with the
 * cell's addresses, without what only a static pod has. Pure.
 *
 * @param manifest as it was granted
 * @param address of the cell
 */
record CellStatus(ObjectNode manifest, String address, String nodeName) {

    private static final Pattern LACKS = Pattern.compile("\\(res: ([^,]+),");
    private static final int LOST = 137;
    private static final ImmutableList<String> LISTS = ImmutableList.of("initContainerStatuses", "containerStatuses");

    /** What this cell's kubelet calls the pod. */
    String kubeletName() {
        return name() + "-" + nodeName;
    }

    private String name() {
        return manifest.path("metadata").path("name").asString("");
    }

    /** Of a pod that kubelet has not shown yet. */
    ObjectNode pending() {
        ObjectNode status = Trees.empty();
        status.put("phase", "Pending");
        addresses(status, false);
        boolean initialises = !manifest.path("spec").path("initContainers").isEmpty();
        statuses(status, "initContainers", "initContainerStatuses", "PodInitializing");
        statuses(status, "containers", "containerStatuses", initialises ? "PodInitializing" : "ContainerCreating");
        return status;
    }

    private void statuses(ObjectNode status, String field, String into, String reason) {
        JsonNode containers = manifest.path("spec").path(field);
        if (containers.isEmpty()) {
            return;
        }
        ArrayNode list = status.putArray(into);
        for (JsonNode container : containers) {
            ObjectNode one = list.addObject();
            one.set("name", container.path("name"));
            one.set("image", container.path("image"));
            one.put("imageID", "");
            one.put("ready", false);
            one.put("restartCount", 0);
            one.putObject("state").putObject("waiting").put("reason", reason);
            one.putObject("lastState");
        }
    }

    /** @param startTime when the pod was first seen to run; kubelet forgets it when it is started again */
    ObjectNode of(ObjectNode kubeletPod, Optional<String> startTime) {
        ObjectNode status = kubeletPod.path("status") instanceof ObjectNode object ? object.deepCopy() : Trees.empty();
        if (status.path("phase").asString("").isEmpty()) {
            status.put("phase", "Pending");
        }
        renameMessages(status);
        addresses(status, !status.path("podIP").asString("").isEmpty() || everRan(status));
        startTime.ifPresent(time -> status.put("startTime", time));
        if (status.path("conditions") instanceof ArrayNode conditions) {
            removeResize(conditions);
        }
        if (status.path("reason").asString("").equals("UnexpectedAdmissionError")) {
            Matcher lacks = LACKS.matcher(status.path("message").asString(""));
            if (lacks.find()) {
                status.put("reason", "OutOf" + lacks.group(1)); // what any other than a static pod is told
            }
        }
        return status;
    }

    private void addresses(ObjectNode status, boolean hasSandbox) {
        status.put("hostIP", address);
        status.putArray("hostIPs").addObject().put("ip", address);
        if (hasSandbox) {
            status.put("podIP", address);
            status.putArray("podIPs").addObject().put("ip", address);
        }
    }

    private void renameMessages(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            for (var field : ImmutableList.copyOf(object.properties())) {
                if (field.getValue().isString() && field.getKey().equals("message")) {
                    object.put("message", field.getValue().stringValue().replace(kubeletName(), name()));
                } else {
                    renameMessages(field.getValue());
                }
            }
        } else if (tree.isArray()) {
            tree.forEach(this::renameMessages);
        }
    }

    /** Static pods cannot be resized, which is nobody's wish here. */
    private static void removeResize(ArrayNode conditions) {
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (conditions.get(i).path("type").asString("").equals("PodResizePending")
                    && conditions.get(i).path("reason").asString("").equals("Infeasible")) {
                conditions.remove(i);
            }
        }
    }

    /** With conditions that say that nobody knows: kubelet has not answered for long. */
    static ObjectNode unanswered(ObjectNode last, String why, Instant now) {
        ObjectNode status = last.deepCopy();
        for (JsonNode condition : status.path("conditions")) {
            String type = condition.path("type").asString("");
            boolean readiness = type.equals("Ready") || type.equals("ContainersReady");
            if (readiness && condition instanceof ObjectNode object) {
                if (object.path("status").asString("").equals("True")) {
                    object.put("lastTransitionTime", time(now));
                }
                object.put("status", "False")
                        .put("reason", "KubeletNotAnswering")
                        .put("message", "the cell's kubelet does not answer: " + why);
            }
        }
        return status;
    }

    /** The pod has come to its end by itself, and nothing of it runs any more. */
    static boolean over(JsonNode status) {
        String phase = status.path("phase").asString("");
        return (phase.equals("Succeeded") || phase.equals("Failed")) && !anyRuns(status);
    }

    static boolean anyRuns(JsonNode status) {
        return any(status, "running");
    }

    /** Whether kubelet shows every container as ended. A pod that it deletes stays so until its manifest is gone. */
    static boolean allEnded(JsonNode status) {
        boolean some = false;
        for (JsonNode container : status.path("containerStatuses")) {
            if (!container.path("state").has("terminated")) {
                return false;
            }
            some = true;
        }
        return some && !anyRuns(status);
    }

    static boolean everRan(JsonNode status) {
        return anyRuns(status) || any(status, "terminated");
    }

    private static boolean any(JsonNode status, String state) {
        for (String list : LISTS) {
            for (JsonNode container : status.path(list)) {
                if (container.path("state").has(state)
                        || (state.equals("terminated")
                                && container.path("lastState").has(state))) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * The last status of a pod that was ended, or whose end kubelet did not tell.
     *
     * @param last what kubelet said last; empty if nothing is known
     * @param exits how the runtime has the last run of each container, by its name
     */
    ObjectNode last(Optional<ObjectNode> last, ImmutableMap<String, Standing> exits, Instant now) {
        ObjectNode status = last.map(ObjectNode::deepCopy).orElseGet(this::pending);
        boolean allWell = true;
        for (String list : LISTS) {
            for (JsonNode entry : status.path(list)) {
                if (entry instanceof ObjectNode container) {
                    conclude(
                            container,
                            Optional.ofNullable(exits.get(container.path("name").asString(""))),
                            now);
                    container.put("ready", false).put("started", false);
                    boolean well = container
                                    .path("state")
                                    .path("terminated")
                                    .path("exitCode")
                                    .asInt(LOST)
                            == 0;
                    allWell &= well || list.equals("initContainerStatuses");
                }
            }
        }
        boolean wasOver = over(last.orElse(Trees.empty()));
        if (!wasOver) {
            status.put("phase", allWell ? "Succeeded" : "Failed");
        }
        String reason = status.path("phase").asString("").equals("Succeeded") ? "PodCompleted" : "PodFailed";
        for (JsonNode condition : status.path("conditions")) {
            String type = condition.path("type").asString("");
            boolean readiness = type.equals("Ready") || type.equals("ContainersReady");
            if (readiness && condition instanceof ObjectNode object) {
                if (!object.path("status").asString("").equals("False")) {
                    object.put("lastTransitionTime", time(now));
                }
                object.put("status", "False").put("reason", reason);
                object.remove("message");
            }
        }
        return status;
    }

    private static void conclude(ObjectNode container, Optional<Standing> exit, Instant now) {
        JsonNode state = container.path("state");
        if (state.has("terminated") || (!state.has("running") && exit.isEmpty())) {
            return; // told already, or never started
        }
        ObjectNode terminated = Trees.empty();
        if (exit.isPresent() && exit.get().exited()) {
            Standing end = exit.get();
            terminated.put("exitCode", end.exitCode());
            terminated.put(
                    "reason", end.reason().isEmpty() ? end.exitCode() == 0 ? "Completed" : "Error" : end.reason());
            if (!end.message().isEmpty()) {
                terminated.put("message", end.message());
            }
            terminated.put("startedAt", time(end.started()));
            terminated.put("finishedAt", time(end.finished()));
            terminated.put("containerID", "containerd://" + end.id());
        } else {
            terminated.put("exitCode", LOST);
            terminated.put("reason", "ContainerStatusUnknown");
            terminated.put("message", "The container could not be located when the pod was ended");
            terminated.set(
                    "startedAt",
                    state.path("running").has("startedAt")
                            ? state.path("running").path("startedAt")
                            : terminated.stringNode(time(now)));
            terminated.put("finishedAt", time(now));
            if (container.has("containerID")) {
                terminated.set("containerID", container.path("containerID"));
            }
        }
        container.putObject("state").set("terminated", terminated);
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
