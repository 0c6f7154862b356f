package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.apiserver.store.Store;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.workloads.Workloads;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A cluster of a world: an API server with its store, and the built-in controllers. */
final class SimCluster {

    /** Name of the first cluster's API server on the network; those of others have the cluster's name before it. */
    static final String SERVICE = "kubernetes";

    /** The cluster that words mean when they name none. */
    static final String FIRST = "a";

    private static final int PORT = 443;
    private static final ImmutableMap<String, Kind> MIRRORED = ImmutableMap.<String, Kind>builder()
            .put("pod", new Kind("", "pods"))
            .put("node", new Kind("", "nodes"))
            .put("deployment", new Kind("apps", "deployments"))
            .put("replicaset", new Kind("apps", "replicasets"))
            .put("daemonset", new Kind("apps", "daemonsets"))
            .put("cell", new Kind("kip.elotl.co", "cells"))
            .put("launchbatch", new Kind("kip.elotl.co", "launchbatches"))
            .put("installation", new Kind("kip.elotl.co", "installations"))
            .buildOrThrow();
    /** Listed when a word asks for them. */
    private static final ImmutableMap<String, Kind> OTHERS = ImmutableMap.of(
            "secret", new Kind("", "secrets"),
            "event", new Kind("", "events"),
            "lease", new Kind("coordination.k8s.io", "leases"),
            "namespace", new Kind("", "namespaces"),
            "crd", new Kind("apiextensions.k8s.io", "customresourcedefinitions"));

    private final String name;
    private final SimNetwork network;
    private final SimProcess process;
    private final ApiServer server;
    private final ApiClient api;
    private final Mirror mirror;

    private record Kind(String group, String plural) {}

    /**
     * @param life how many API servers of that name there were before
     * @param from what is in its store when it starts; nothing but Kip's definitions if empty
     * @param onChange told of each change
     */
    SimCluster(
            Kernel kernel,
            SimNetwork network,
            ApiServerSettings settings,
            String name,
            int life,
            Optional<Backup> from,
            Mirror.Listener onChange) {
        this.name = name;
        this.network = network;
        this.process = new SimProcess(kernel, service(name));
        String source = life == 0 ? service(name) : service(name) + " of life " + life;
        this.server = new ApiServer(process, kernel.entropy(source), settings);
        this.api = server.client();
        from.ifPresentOrElse(
                backup -> server.restore(Store.Snapshot.fromJson(backup.document())), () -> Definitions.install(api));
        URI uri = uri(name);
        network.listen(uri.getHost(), uri.getPort(), service(name), process, server);
        String workloads = name.equals(FIRST) && life == 0 ? "workloads" : source + " workloads";
        new Workloads(api, process, kernel.entropy(workloads)).start();
        this.mirror = new Mirror(api, onChange);
        MIRRORED.forEach((word, kind) -> mirror.follow(word, kind.group(), kind.plural()));
    }

    /** A copy of everything stored, as {@code etcdctl snapshot save} makes it. */
    record Backup(ObjectNode document) {}

    static String service(String cluster) {
        return cluster.equals(FIRST) ? SERVICE : cluster + "/" + SERVICE;
    }

    static URI uri(String cluster) {
        return URI.create("https://" + (cluster.equals(FIRST) ? "" : cluster + ".") + "kubernetes.sim:" + PORT);
    }

    ApiClient api() {
        return api;
    }

    long version() {
        return mirror.version();
    }

    Backup backup() {
        return new Backup(server.snapshot().toJson(JsonNodeFactory.instance.objectNode()));
    }

    /** It is gone, with all that it stored. */
    void destroy() {
        URI uri = uri(name);
        network.unlisten(uri.getHost(), uri.getPort());
        process.kill();
    }

    void create(ObjectNode object) {
        String kind = object.path("kind").asString("").toLowerCase(Locale.ROOT);
        api.create(type(kind), object.at("/metadata/namespace").asString(""), object);
    }

    void delete(String word, String namespace, String object, Optional<Long> graceSeconds) {
        ObjectNode options = JsonNodeFactory.instance.objectNode();
        options.put("propagationPolicy", "Background");
        graceSeconds.ifPresent(grace -> options.put("gracePeriodSeconds", grace));
        try {
            api.delete(type(word), namespace, object, options);
        } catch (ApiFailure failure) {
            if (!failure.reason().equals("NotFound")) { // it may have gone by itself
                throw failure;
            }
        }
    }

    /** Whatever its version. */
    void update(String word, ObjectNode object) {
        ObjectNode next = object.deepCopy();
        ObjectNode metadata = (ObjectNode) next.path("metadata");
        api.get(
                        type(word),
                        metadata.path("namespace").asString(""),
                        metadata.path("name").asString(""))
                .ifPresent(
                        present -> { // it may have gone by itself
                            metadata.set("resourceVersion", present.at("/metadata/resourceVersion"));
                            api.update(type(word), "", next);
                        });
    }

    void scale(String word, String namespace, String object, int replicas) {
        ObjectNode found = api.get(type(word), namespace, object)
                .orElseThrow(() -> new IllegalStateException("there is no " + word + " " + namespace + "/" + object));
        ((ObjectNode) found.path("spec")).put("replicas", replicas);
        api.update(type(word), "", found);
    }

    void installDefinitions() {
        Definitions.install(api);
    }

    private ResourceType type(String word) {
        Kind kind = MIRRORED.get(word);
        if (kind == null) {
            kind = OTHERS.get(word);
        }
        if (kind == null) {
            throw new IllegalArgumentException("this world knows no kind \"" + word + "\"");
        }
        return api.resource(kind.group(), kind.plural());
    }

    /** Every object of the kind, in the order of names. */
    ImmutableList<ObjectNode> objects(String word) {
        return MIRRORED.containsKey(word) ? mirror.objects(word) : api.list(type(word), "");
    }
}
