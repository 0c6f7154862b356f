package dev.kip.sim.apiserver;

import dev.kip.sim.apiserver.store.Versioned;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** What a cluster has before its first user comes, and what each namespace gets when it is made. */
final class Bootstrap {

    private static final int API_PORT = 6443;

    private final Core core;
    private final Writes writes;

    Bootstrap(Core core, Writes writes) {
        this.core = core;
        this.writes = writes;
    }

    void run() {
        Resource namespaces = core.resource("", "namespaces");
        for (String name : List.of("kube-system", "default", "kube-public", "kube-node-lease")) {
            afterCreate(namespaces, create(namespaces, "", named(name)));
        }
        Resource classes = core.resource("scheduling.k8s.io", "priorityclasses");
        create(
                classes,
                "",
                named("system-cluster-critical")
                        .put("value", 2_000_000_000)
                        .put(
                                "description",
                                "Used for system critical pods that must run in the cluster, but can be moved to"
                                        + " another node if necessary."));
        create(
                classes,
                "",
                named("system-node-critical")
                        .put("value", 2_000_001_000)
                        .put(
                                "description",
                                "Used for system critical pods that must not be moved from their current node."));
        ObjectNode service = named("kubernetes");
        service.withObjectProperty("metadata")
                .putObject("labels")
                .put("component", "apiserver")
                .put("provider", "kubernetes");
        service.putObject("spec")
                .putArray("ports")
                .addObject()
                .put("name", "https")
                .put("port", 443)
                .put("targetPort", API_PORT);
        create(core.resource("", "services"), "default", service);
    }

    /** Called after each creation that was asked for from outside. */
    void afterCreate(Resource resource, Versioned created) {
        if (resource.shelf().name().equals("namespaces") && core.settings().defaultServiceAccounts()) {
            create(core.resource("", "serviceaccounts"), created.key(), named("default"));
        }
    }

    private Versioned create(Resource resource, String namespace, ObjectNode object) {
        ResourceType type = resource.type();
        ObjectNode ordered = object.objectNode().put("kind", type.kind()).put("apiVersion", type.apiVersion());
        ordered.setAll(object);
        return writes.create(resource, namespace, ordered, WriteContext.internal());
    }

    private ObjectNode named(String name) {
        ObjectNode object = core.emptyObject();
        object.putObject("metadata").put("name", name);
        return object;
    }
}
