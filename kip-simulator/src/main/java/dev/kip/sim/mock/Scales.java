package dev.kip.sim.mock;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The scale subresource of a workload. */
final class Scales {

    private Scales() {}

    static ObjectNode shown(ObjectNode workload) {
        ObjectNode scale = JsonMapper.shared().createObjectNode();
        scale.put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : new String[] {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
            metadata.set(field, workload.path("metadata").path(field));
        }
        scale.putObject("spec").put("replicas", workload.at("/spec/replicas").asInt(0));
        scale.putObject("status")
                .put("replicas", workload.at("/status/replicas").asInt(0));
        return scale;
    }
}
