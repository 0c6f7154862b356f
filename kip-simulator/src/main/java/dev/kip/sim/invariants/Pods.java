package dev.kip.sim.invariants;

import tools.jackson.databind.node.ObjectNode;

/** What the API servers of a world say of a pod. */
final class Pods {

    private Pods() {}

    /** It exists in the cluster, nobody has deleted it, and it has not finished. */
    static boolean lives(Eyes eyes, String cluster, String uid) {
        for (ObjectNode pod : eyes.objects(cluster, "pod")) {
            String phase = pod.at("/status/phase").asString("Pending");
            if (pod.at("/metadata/uid").asString("").equals(uid)
                    && !pod.path("metadata").has("deletionTimestamp")
                    && !phase.equals("Succeeded")
                    && !phase.equals("Failed")) {
                return true;
            }
        }
        return false;
    }

    /** A Cell somewhere names the instance. */
    static boolean isBound(Eyes eyes, String instanceId) {
        for (String cluster : eyes.clusters()) {
            for (ObjectNode cell : eyes.objects(cluster, "cell")) {
                if (cell.at("/status/instanceID").asString("").equals(instanceId)) {
                    return true;
                }
            }
        }
        return false;
    }
}
