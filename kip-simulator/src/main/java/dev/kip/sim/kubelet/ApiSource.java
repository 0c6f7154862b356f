package dev.kip.sim.kubelet;

import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.kube.Codecs;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Kubelet's way to the API server: its node, the pods bound to it, mirror pods, statuses. Called on kubelet's loop. */
final class ApiSource {

    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());

    private final KubeApi kube;
    private final NodeFacts facts;
    private final Consumer<String> log;

    ApiSource(KubeApi kube, NodeFacts facts, Consumer<String> log) {
        this.kube = kube;
        this.facts = facts;
        this.log = log;
    }

    /**
     * What the API server has.
     *
     * @param node the uid of the node
     * @param labels of the node
     * @param pods of this node, by uid; mirror pods too
     */
    record Seen(String node, ImmutableMap<String, String> labels, ImmutableMap<String, ObjectNode> pods) {}

    /** Asks for the node, which is registered if it is not there, and its pods; {@code seen} is not told of failures. */
    void ask(Consumer<Seen> seen) {
        kube.get(NODES, ObjectRef.cluster(facts.name()))
                .thenAccept(answer -> answer.on(node -> list(node, seen), error -> {
                    if (error instanceof KubeError.NotFound) {
                        register();
                    }
                }));
    }

    private void list(ObjectNode node, Consumer<Seen> seen) {
        kube.list(PODS, ListQuery.ALL.fields("spec.nodeName=" + facts.name()))
                .thenAccept(answer -> answer.on(page -> seen.accept(seen(node, page)), error -> {}));
    }

    private static Seen seen(ObjectNode node, Page<ObjectNode> page) {
        Map<String, String> labels = new LinkedHashMap<>();
        node.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asString("")));
        Map<String, ObjectNode> pods = new LinkedHashMap<>();
        page.items().forEach(pod -> pods.put(pod.path("metadata").path("uid").asString(""), pod));
        return new Seen(
                node.path("metadata").path("uid").asString(""), ImmutableMap.copyOf(labels), ImmutableMap.copyOf(pods));
    }

    private void register() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("apiVersion", "v1").put("kind", "Node");
        ObjectNode metadata = node.putObject("metadata");
        metadata.put("name", facts.name());
        ObjectNode labels = metadata.putObject("labels");
        labels.put("kubernetes.io/hostname", facts.name());
        facts.labels().forEach(labels::put);
        kube.create(NODES, "", node)
                .thenAccept(answer -> answer.on(
                        made -> log.accept("\"Successfully registered node\" node=\"" + facts.name() + "\""),
                        error -> log.accept("\"Unable to register node\" err=\"" + error.message() + "\"")));
    }

    void createMirror(ObjectNode pod, String nodeUid, Consumer<String> failed) {
        ObjectNode mirror = pod.deepCopy();
        ObjectNode metadata = mirror.withObject("/metadata");
        String hash = metadata.path("uid").asString("");
        metadata.remove("uid");
        metadata.withObject("/annotations").put("kubernetes.io/config.mirror", hash);
        ObjectNode owner = metadata.putArray("ownerReferences").addObject();
        owner.put("apiVersion", "v1").put("kind", "Node").put("name", facts.name());
        owner.put("uid", nodeUid).put("controller", true);
        mirror.remove("status");
        kube.create(PODS, metadata.path("namespace").asString("default"), mirror)
                .thenAccept(answer -> answer.on(made -> {}, error -> failed.accept(error.message())));
    }

    void delete(JsonNode pod) {
        JsonNode metadata = pod.path("metadata");
        kube.delete(
                PODS,
                ref(metadata),
                DeleteQuery.of(metadata.path("uid").asString("")).now());
    }

    void patchStatus(JsonNode pod, ObjectNode status) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.set("status", status);
        kube.patch(PODS, ref(pod.path("metadata")), "status", PatchType.MERGE, patch);
    }

    private static ObjectRef ref(JsonNode metadata) {
        return new ObjectRef(
                metadata.path("namespace").asString("default"),
                metadata.path("name").asString(""));
    }
}
