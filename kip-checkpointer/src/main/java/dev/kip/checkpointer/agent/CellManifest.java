package dev.kip.checkpointer.agent;

import dev.kip.bundle.Site;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What of a granted manifest only the cell itself knows. Pure. */
final class CellManifest {

    private CellManifest() {}

    /** With the cell's address where the pod's own is asked for: on the cell it has another, behind it. */
    static ObjectNode at(ObjectNode granted, String address) {
        ObjectNode manifest = granted.deepCopy();
        for (String containers : new String[] {"spec.containers[*].env", "spec.initContainers[*].env"}) {
            for (Site site : Site.find(manifest, containers)) {
                if (site.value() instanceof ArrayNode env) {
                    env.forEach(variable -> fill(variable, address));
                }
            }
        }
        return manifest;
    }

    private static void fill(JsonNode variable, String address) {
        String path =
                variable.path("valueFrom").path("fieldRef").path("fieldPath").asString("");
        boolean own = path.equals("status.podIP")
                || path.equals("status.podIPs")
                || path.equals("status.hostIP")
                || path.equals("status.hostIPs");
        if (own && variable instanceof ObjectNode object) {
            object.remove("valueFrom");
            object.put("value", address);
        }
    }

    /** The same pod, being deleted: kubelet runs its hooks and keeps showing it until it is taken away. */
    static ObjectNode ending(ObjectNode manifest, Instant now, Duration grace) {
        ObjectNode ending = manifest.deepCopy();
        long seconds = Math.max(1, grace.toSeconds()); // kubelet takes 0 for none given
        if (ending.path("metadata") instanceof ObjectNode metadata) {
            metadata.put(
                    "deletionTimestamp",
                    now.plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS).toString());
            metadata.put("deletionGracePeriodSeconds", seconds);
        }
        return ending;
    }

    static boolean isEnding(ObjectNode manifest) {
        return manifest.path("metadata").has("deletionTimestamp");
    }

    static boolean runsOnce(JsonNode manifest) {
        return manifest.path("spec").path("restartPolicy").asString("Always").equals("Never");
    }
}
