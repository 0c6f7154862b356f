package dev.kip.controller.podstatus;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.store.PodFacts;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Merge patches of a pod's status. Each names the pod's uid, so that a namesake answers Conflict (kubernetes/kubernetes
 * issue 86320). Pure.
 */
public final class StatusPatch {

    /** Cleared unless given: an earlier state may have set them. */
    private static final ImmutableSet<String> CLEARED = ImmutableSet.of("reason", "message");

    private static final ImmutableList<String> CONTAINERS =
            ImmutableList.of("initContainerStatuses", "containerStatuses");

    private static final int UNSEEN_EXIT = 137;

    private static final ImmutableSet<String> READINESS = ImmutableSet.of("Ready", "ContainersReady");

    private StatusPatch() {}

    /** What the cell reports. */
    public static ObjectNode reported(PodFacts pod, StatusView view) {
        ObjectNode status = view.status().deepCopy();
        keepOthers(pod, status.withArray("conditions"));
        return patch(pod, status);
    }

    /** The pod waits, and why. One that has run before is not ready. */
    public static ObjectNode explained(PodFacts pod, Problem problem, Instant now) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("phase", pod.phase());
        status.put("reason", problem.reason());
        status.put("message", problem.message());
        ArrayNode conditions = status.putArray("conditions");
        conditions.add(Explanation.condition(problem, time(now)));
        if (pod.started()) {
            addUnready(conditions, problem, now);
        }
        keepOthers(pod, conditions);
        return patch(pod, status);
    }

    /**
     * The pod failed because its cell is gone. What ran has ended, nobody saw how: as a kubelet says of a container that it
     * cannot find, the exit code is 137.
     *
     * @param known the status that the pod has
     */
    public static ObjectNode lost(PodFacts pod, Problem problem, Instant now, JsonNode known) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        for (String containers : CONTAINERS) {
            if (!known.path(containers).isEmpty()) {
                ArrayNode ended = status.putArray(containers);
                known.path(containers).forEach(container -> ended.add(ended(container, problem, now)));
            }
        }
        status.put("phase", "Failed");
        status.put("reason", problem.reason());
        status.put("message", problem.message());
        ArrayNode conditions = status.putArray("conditions");
        addUnready(conditions, problem, now);
        keepOthers(pod, conditions);
        return patch(pod, status);
    }

    private static void addUnready(ArrayNode conditions, Problem problem, Instant now) {
        for (String type : READINESS) {
            ObjectNode condition = conditions.addObject();
            condition.put("type", type);
            condition.put("status", "False");
            condition.put("reason", problem.reason());
            condition.put("lastTransitionTime", time(now));
        }
    }

    private static JsonNode ended(JsonNode container, Problem problem, Instant now) {
        ObjectNode ended = (ObjectNode) container.deepCopy();
        ended.put("ready", false);
        ended.put("started", false);
        if (!container.path("state").has("terminated")) {
            JsonNode began = container.path("state").path("running").path("startedAt");
            ObjectNode terminated = ended.putObject("state").putObject("terminated");
            terminated.put("exitCode", UNSEEN_EXIT);
            terminated.put("reason", problem.reason());
            terminated.put("message", problem.message());
            terminated.put("finishedAt", time(now));
            if (began.isString()) {
                terminated.set("startedAt", began);
            }
        }
        return ended;
    }

    private static void keepOthers(PodFacts pod, ArrayNode conditions) {
        for (JsonNode condition : pod.otherConditions()) {
            conditions.add(condition);
        }
    }

    private static ObjectNode patch(PodFacts pod, ObjectNode status) {
        for (String field : CLEARED) {
            if (!status.has(field)) {
                status.putNull(field);
            }
        }
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata").put("uid", pod.uid());
        patch.set("status", status);
        return patch;
    }

    private static String time(Instant now) {
        return now.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
