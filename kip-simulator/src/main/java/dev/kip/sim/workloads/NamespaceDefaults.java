package dev.kip.sim.workloads;

import dev.kip.sim.apiserver.ApiFailure;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Each namespace has a service account {@code default} and the certificates by which pods know the API server. */
final class NamespaceDefaults {

    private static final String CERTIFICATES = "kube-root-ca.crt";
    private static final String ACCOUNT = "default";

    private final Cluster cluster;
    private final String certificates;
    private final Cache namespaces;
    private final Cache accounts;
    private final Cache configMaps;
    private final WorkQueue queue;

    /** @param certificates in PEM */
    NamespaceDefaults(Cluster cluster, String certificates) {
        this.cluster = cluster;
        this.certificates = certificates;
        namespaces = cluster.cache("", "namespaces");
        accounts = cluster.cache("", "serviceaccounts");
        configMaps = cluster.cache("", "configmaps");
        queue = cluster.queue("namespace defaults", this::sync);
        namespaces.listen((before, after) -> after.ifPresent(namespace -> queue.add(Objects.name(namespace))));
        for (Cache cache : List.of(accounts, configMaps)) {
            cache.listen((before, after) -> {
                String name = Objects.name(after.or(() -> before).orElseThrow());
                if (name.equals(ACCOUNT) || name.equals(CERTIFICATES)) {
                    queue.add(Objects.namespace(after.or(() -> before).orElseThrow()));
                }
            });
        }
    }

    private void sync(String name) {
        Optional<ObjectNode> namespace = namespaces.get(Cache.key("", name)).filter(known -> !Objects.isLeaving(known));
        if (namespace.isEmpty()) {
            return;
        }
        if (accounts.get(Cache.key(name, ACCOUNT)).isEmpty()) {
            create(accounts, name, named("ServiceAccount", ACCOUNT));
        }
        Optional<ObjectNode> present = configMaps.get(Cache.key(name, CERTIFICATES));
        if (present.isEmpty()) {
            ObjectNode configMap = named("ConfigMap", CERTIFICATES);
            configMap.putObject("data").put("ca.crt", certificates);
            create(configMaps, name, configMap);
        } else if (!present.get().at("/data/ca.crt").asString("").equals(certificates)) {
            ObjectNode changed = present.get().deepCopy();
            changed.putObject("data").put("ca.crt", certificates);
            cluster.update(configMaps, changed);
        }
    }

    private void create(Cache cache, String namespace, ObjectNode object) {
        try {
            cluster.create(cache, namespace, object);
        } catch (ApiFailure failure) {
            if (!failure.reason().equals("AlreadyExists")) {
                throw failure;
            }
        }
    }

    private static ObjectNode named(String kind, String name) {
        ObjectNode object = Objects.JSON.objectNode().put("kind", kind).put("apiVersion", "v1");
        object.putObject("metadata").put("name", name);
        return object;
    }
}
