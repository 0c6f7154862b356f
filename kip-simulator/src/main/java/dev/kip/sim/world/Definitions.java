package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import dev.kip.sim.apiserver.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The definitions of Kip's own kinds, as kip-controller's deploy/crds has them. */
public final class Definitions {

    private static final ImmutableList<String> FILES = ImmutableList.of("cells", "installations", "launchbatches");

    private Definitions() {}

    /** Creates them, as an administrator does before the controller starts. */
    public static void install(ApiClient api) {
        YAMLMapper yaml = YAMLMapper.builder().build();
        for (String file : FILES) {
            ObjectNode definition = (ObjectNode) yaml.readTree(read("crds/" + file + ".yaml"));
            api.create(api.resource("apiextensions.k8s.io", "customresourcedefinitions"), "", definition);
        }
    }

    private static String read(String resource) {
        try {
            return Resources.toString(Resources.getResource(resource), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is damaged: " + resource, e);
        }
    }
}
