package dev.kip.controller.podstatus;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a cell reports of its pod, ready for the API server.
 *
 * @param status only fields that we write; nobody changes it
 * @param digest {@link StatusDigest#of} it
 * @param started whether any container ever ran
 * @param telling whether users wait for just this: Ready, ended, or something is wrong. The rest is on the way to it.
 */
public record StatusView(ObjectNode status, String phase, String digest, boolean started, boolean telling) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final ImmutableSet<String> OF_A_START = ImmutableSet.of("", "ContainerCreating", "PodInitializing");

    private static final ImmutableSet<String> COPIED = ImmutableSet.of(
            "phase",
            "reason",
            "message",
            "startTime",
            "containerStatuses",
            "initContainerStatuses",
            "ephemeralContainerStatuses");

    private static final ImmutableSet<String> PHASES =
            ImmutableSet.of("Pending", "Running", "Succeeded", "Failed", "Unknown");

    /**
     * @param report {@code PodStatus} as JSON
     * @param podIp of a pod that has none of its own: it shares the cell's network
     * @param hostIp of the node, as users see it
     * @return empty if the report is no status of a pod
     */
    public static Optional<StatusView> of(String report, String podIp, String hostIp) {
        JsonNode reported;
        try {
            reported = JSON.readTree(report);
        } catch (JacksonException e) {
            return Optional.empty();
        }
        String phase = reported.path("phase").asString("");
        if (!PHASES.contains(phase)) {
            return Optional.empty();
        }
        ObjectNode status = JSON.createObjectNode();
        for (String field : COPIED) {
            if (reported.hasNonNull(field)) {
                status.set(field, reported.get(field));
            }
        }
        ArrayNode conditions = status.putArray("conditions");
        for (JsonNode condition : reported.path("conditions")) {
            if (StatusDigest.OUR_CONDITIONS.contains(condition.path("type").asString(""))) {
                conditions.add(condition);
            }
        }
        address(status, "podIP", "podIPs", reported.path("podIP").asString(podIp));
        address(status, "hostIP", "hostIPs", hostIp);
        boolean ended = phase.equals("Succeeded") || phase.equals("Failed");
        return Optional.of(new StatusView(
                status,
                phase,
                StatusDigest.of(status),
                StatusDigest.started(status),
                ended || ready(status) || trouble(status)));
    }

    private static void address(ObjectNode status, String single, String list, String ip) {
        if (!ip.isEmpty()) {
            status.put(single, ip);
            status.putArray(list).addObject().put("ip", ip);
        }
    }

    private static boolean ready(JsonNode status) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asString("").equals("Ready")) {
                return condition.path("status").asString("").equals("True");
            }
        }
        return false;
    }

    private static boolean trouble(JsonNode status) {
        for (String list : StatusDigest.CONTAINER_LISTS) {
            for (JsonNode container : status.path(list)) {
                String waiting =
                        container.path("state").path("waiting").path("reason").asString("");
                boolean failed = container
                                .path("state")
                                .path("terminated")
                                .path("exitCode")
                                .asInt(0)
                        != 0;
                if (!OF_A_START.contains(waiting)
                        || failed
                        || container.path("restartCount").asInt(0) > 0) {
                    return true;
                }
            }
        }
        return false;
    }
}
