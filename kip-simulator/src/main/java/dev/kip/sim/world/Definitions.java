package dev.kip.sim.world;

import dev.kip.crd.CrdManifests;
import dev.kip.sim.apiserver.ApiClient;

/** The definitions of Kip's own kinds, as kip-controller's deploy/crds has them. */
public final class Definitions {

    private Definitions() {}

    /** Creates them, as an administrator does before the controller starts. */
    public static void install(ApiClient api) {
        CrdManifests.all()
                .forEach(definition -> api.create(
                        api.resource("apiextensions.k8s.io", "customresourcedefinitions"), "", definition.deepCopy()));
    }
}
