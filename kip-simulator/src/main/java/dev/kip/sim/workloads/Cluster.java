package dev.kip.sim.workloads;

import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.ResourceType;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** What all controllers share: the API, the time, and caches, one for each type that any of them watches. */
final class Cluster {

    private final ApiClient api;
    private final Loop loop;
    private final Entropy entropy;
    private final Map<String, Cache> caches = new LinkedHashMap<>();

    final Cache pods;
    final Cache.Index podsByController;
    final Cache.Index podsByNode;
    /** Pods that no controller owns, by namespace. */
    final Cache.Index orphanPods;

    final Cache nodes;

    Cluster(ApiClient api, Loop loop, Entropy entropy) {
        this.api = api;
        this.loop = loop;
        this.entropy = entropy;
        pods = cache("", "pods");
        nodes = cache("", "nodes");
        podsByController = pods.index(Cluster::byController);
        podsByNode = pods.index(pod -> PodFacts.node(pod).isEmpty() ? List.of() : List.of(PodFacts.node(pod)));
        orphanPods =
                pods.index(pod -> Objects.controllerUid(pod).isEmpty() ? List.of(Objects.namespace(pod)) : List.of());
    }

    /** An index function: the uid of the controller. */
    static List<String> byController(ObjectNode object) {
        String uid = Objects.controllerUid(object);
        return uid.isEmpty() ? List.of() : List.of(uid);
    }

    ApiClient api() {
        return api;
    }

    Loop loop() {
        return loop;
    }

    Instant now() {
        return loop.now();
    }

    Entropy entropy(String name) {
        return entropy.fork(name);
    }

    /** The same one for the same type. */
    Cache cache(String group, String plural) {
        return caches.computeIfAbsent(group + "/" + plural, any -> new Cache(api, api.resource(group, plural)));
    }

    EventRecorder events(String component) {
        return new EventRecorder(api, loop, entropy.fork("events of " + component), component);
    }

    WorkQueue queue(String name, Consumer<String> work) {
        return new WorkQueue(loop, entropy.fork(name), work);
    }

    /** After all controllers have made their indexes and listeners. */
    void start() {
        List.copyOf(caches.values()).forEach(Cache::start);
    }

    ObjectNode create(Cache cache, String namespace, ObjectNode object) {
        ObjectNode created = api.create(cache.type(), namespace, object);
        cache.written(created);
        return created;
    }

    ObjectNode update(Cache cache, ObjectNode object) {
        ObjectNode updated = api.update(cache.type(), "", object);
        cache.written(updated);
        return updated;
    }

    ObjectNode updateStatus(Cache cache, ObjectNode object) {
        ObjectNode updated = api.update(cache.type(), "status", object);
        cache.written(updated);
        return updated;
    }

    /** Deletes this very object in the background; that it is gone already is fine. */
    void delete(Cache cache, ObjectNode object) {
        delete(cache.type(), object, Optional.empty(), "Background");
    }

    void delete(ResourceType type, ObjectNode object, Optional<Integer> graceSeconds, String propagation) {
        ObjectNode options =
                Objects.JSON.objectNode().put("kind", "DeleteOptions").put("apiVersion", "v1");
        graceSeconds.ifPresent(seconds -> options.put("gracePeriodSeconds", seconds.intValue()));
        options.put("propagationPolicy", propagation).putObject("preconditions").put("uid", Objects.uid(object));
        try {
            api.delete(type, Objects.namespace(object), Objects.name(object), options);
        } catch (ApiFailure failure) {
            // A conflict means that another object has taken the name.
            if (!failure.reason().equals("NotFound") && !failure.reason().equals("Conflict")) {
                throw failure;
            }
        }
    }
}
