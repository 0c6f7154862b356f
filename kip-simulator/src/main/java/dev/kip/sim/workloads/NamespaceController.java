package dev.kip.sim.workloads;

import dev.kip.sim.apiserver.ResourceType;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Empties a namespace that is being deleted, then lets it go. */
final class NamespaceController {

    private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

    private final Cluster cluster;
    private final Cache namespaces;
    private final WorkQueue queue;

    NamespaceController(Cluster cluster) {
        this.cluster = cluster;
        namespaces = cluster.cache("", "namespaces");
        queue = cluster.queue("namespaces", this::sync);
        namespaces.listen((before, after) ->
                after.filter(Objects::isLeaving).ifPresent(namespace -> queue.add(Objects.name(namespace))));
    }

    private void sync(String name) {
        Optional<ObjectNode> namespace = namespaces.get(Cache.key("", name)).filter(Objects::isLeaving);
        if (namespace.isEmpty()) {
            return;
        }
        boolean empty = true;
        for (ResourceType type : cluster.api().resources()) {
            if (!type.namespaced()
                    || !type.verbs().contains("list")
                    || !type.verbs().contains("delete")) {
                continue;
            }
            for (ObjectNode object : cluster.api().list(type, name)) {
                if (!Objects.isLeaving(object)) {
                    cluster.delete(type, object, Optional.empty(), "Background");
                }
            }
            empty &= cluster.api().list(type, name).isEmpty();
        }
        if (!empty) {
            queue.addAfter(name, LOOK_AGAIN);
            return;
        }
        ObjectNode finished = namespace.get().deepCopy();
        Objects.array(Objects.child(finished, "spec"), "finalizers")
                .removeIf(finalizer -> finalizer.asString("").equals("kubernetes"));
        cluster.api().update(namespaces.type(), "finalize", finished);
    }
}
