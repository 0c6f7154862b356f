package dev.kip.sim.mock;

import dev.kip.entropy.Entropy;
import dev.kip.sim.apiserver.kinds.Pods;
import dev.kip.sim.apiserver.kinds.Workloads;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What a real API server fills in where a client says nothing, as far as stories see it; fabric8's fills in ids and times. */
final class Admitting {

    private static final int SUFFIX = 5;
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

    private final Entropy entropy;

    Admitting(Entropy entropy) {
        this.entropy = entropy;
    }

    /** @return the object as it is to be stored */
    ObjectNode created(Target target, ObjectNode body) {
        ObjectNode object = body.deepCopy();
        ObjectNode metadata = object.withObjectProperty("metadata");
        String prefix = metadata.path("generateName").asString("");
        if (metadata.path("name").asString("").isEmpty() && !prefix.isEmpty()) {
            metadata.put("name", prefix + suffix());
        }
        if (!target.namespace().isEmpty()) {
            metadata.put("namespace", target.namespace());
        }
        metadata.remove("resourceVersion");
        metadata.remove("deletionTimestamp");
        switch (target.kindKey()) {
            case "pods" -> pod(object);
            case "apps/deployments" -> new Workloads("Deployment").fillDefaults(object);
            case "apps/daemonsets" -> new Workloads("DaemonSet").fillDefaults(object);
            case "apps/replicasets" -> new Workloads("ReplicaSet").fillDefaults(object);
            case "apps/statefulsets" -> new Workloads("StatefulSet").fillDefaults(object);
            case "namespaces" -> object.withObjectProperty("status").put("phase", "Active");
            default -> {}
        }
        return object;
    }

    private void pod(ObjectNode pod) {
        Pods rules = new Pods();
        rules.fillDefaults(pod);
        ObjectNode spec = pod.withObjectProperty("spec");
        if (!spec.has("serviceAccountName")) {
            spec.put("serviceAccountName", "default").put("serviceAccount", "default");
        }
        ArrayNode tolerations = spec.withArrayProperty("tolerations");
        for (String key : new String[] {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
            tolerations
                    .addObject()
                    .put("key", key)
                    .put("operator", "Exists")
                    .put("effect", "NoExecute")
                    .put("tolerationSeconds", 300);
        }
        rules.beforeCreate(pod);
        pod.withObjectProperty("status").put("phase", "Pending");
    }

    private String suffix() {
        StringBuilder suffix = new StringBuilder();
        for (int i = 0; i < SUFFIX; i++) {
            suffix.append(LETTERS.charAt((int) entropy.below(LETTERS.length())));
        }
        return suffix.toString();
    }
}
