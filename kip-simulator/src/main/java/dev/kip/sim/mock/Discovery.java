package dev.kip.sim.mock;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What is served, for clients that ask before they begin. */
final class Discovery {

    private Discovery() {}

    /** Of a path without a resource: the version, or the resources of a group's version. */
    static ObjectNode of(Target target, Kinds kinds) {
        ObjectNode answer = JsonMapper.shared().createObjectNode();
        if (target.version().isEmpty()) {
            return answer.put("major", "1").put("minor", "34").put("gitVersion", "v1.34.4-mock");
        }
        String groupVersion = target.group().isEmpty() ? target.version() : target.group() + "/" + target.version();
        answer.put("kind", "APIResourceList").put("apiVersion", "v1").put("groupVersion", groupVersion);
        ArrayNode resources = answer.putArray("resources");
        kinds.all().stream()
                .filter(type -> type.apiVersion().equals(groupVersion))
                .forEach(type -> {
                    ObjectNode one = resources.addObject();
                    one.put("name", type.plural())
                            .put("singularName", type.singular())
                            .put("namespaced", type.namespaced())
                            .put("kind", type.kind());
                    ArrayNode verbs = one.putArray("verbs");
                    type.verbs().forEach(verbs::add);
                });
        return answer;
    }
}
