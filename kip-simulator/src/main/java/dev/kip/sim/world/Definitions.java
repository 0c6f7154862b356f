package dev.kip.sim.world;

import dev.kip.crd.CrdManifests;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ResourceType;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The definitions of Kip's own kinds, as kip-controller's deploy/crds has them. */
public final class Definitions {

    private Definitions() {}

    /** Creates or updates them, as an administrator does before the controller starts. */
    public static void install(ApiClient api) {
        ResourceType type = api.resource("apiextensions.k8s.io", "customresourcedefinitions");
        CrdManifests.all().forEach(definition -> {
            Optional<ObjectNode> present =
                    api.get(type, "", definition.path("metadata").path("name").asString());
            if (present.isEmpty()) {
                api.create(type, "", definition.deepCopy());
            } else {
                ObjectNode next = present.get();
                next.set("spec", definition.path("spec").deepCopy());
                api.update(type, "", next);
            }
        });
    }
}
