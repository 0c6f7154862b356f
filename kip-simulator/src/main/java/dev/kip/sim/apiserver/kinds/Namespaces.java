package dev.kip.sim.apiserver.kinds;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Namespaces: gone only when what is in them is gone, which the finalizer in their spec stands for. */
public final class Namespaces implements Strategy {

    private static final Traits TRAITS = Traits.PLAIN.withStatus().named(Names.LABEL);

    @Override
    public Traits traits() {
        return TRAITS;
    }

    @Override
    public void fillDefaults(ObjectNode namespace) {
        String name = namespace.path("metadata").path("name").asString("");
        if (!name.isEmpty()) {
            namespace
                    .withObjectProperty("metadata")
                    .withObjectProperty("labels")
                    .put("kubernetes.io/metadata.name", name);
        }
    }

    @Override
    public void beforeCreate(ObjectNode namespace) {
        namespace.putObject("status").put("phase", "Active");
        ObjectNode spec = PodDefaults.object(namespace, "spec");
        boolean has = spec.path("finalizers")
                .valueStream()
                .anyMatch(each -> each.asString("").equals("kubernetes"));
        if (!has) {
            spec.withArrayProperty("finalizers").add("kubernetes");
        }
    }

    @Override
    public void beforeUpdate(ObjectNode namespace, ObjectNode old) {
        JsonNode finalizers = old.path("spec").path("finalizers");
        if (finalizers.isArray()) {
            namespace.withObjectProperty("spec").set("finalizers", finalizers);
        }
    }
}
