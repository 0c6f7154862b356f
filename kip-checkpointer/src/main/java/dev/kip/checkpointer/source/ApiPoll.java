package dev.kip.checkpointer.source;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.standing.Parent;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import dev.kip.outcome.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.node.ObjectNode;

/** Asks the API server which pods of this node want a checkpoint. Called on the loop; answers on it. */
public final class ApiPoll {

    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());
    private static final int PAGE = 250;

    private final KubeApi kube;
    private final String node;
    private final ImmutableList<String> namespaces;

    /** @param namespaces in which pods are looked for; empty for all */
    public ApiPoll(KubeApi kube, String node, ImmutableList<String> namespaces) {
        this.kube = kube;
        this.node = node;
        this.namespaces = namespaces.isEmpty() ? ImmutableList.of("") : namespaces;
    }

    /**
     * What the API server said.
     *
     * @param parents by name
     * @param uids of all pods on this node that were listed
     * @param node this node's object; empty if it was not asked for or is not there
     * @param quorum the list is not from a cache
     */
    public record Listed(
            ImmutableSortedMap<PodKey, Parent> parents,
            ImmutableSet<String> uids,
            Optional<NodeObject> node,
            boolean quorum) {}

    /**
     * What the API server knows of this node.
     *
     * @param kubelet the version of its kubelet; empty if it is not said
     */
    public record NodeObject(String uid, String kubelet) {}

    /** @param quorum asks for what only the quorum knows, and for the node */
    public CompletionStage<Outcome<Listed, KubeError>> ask(boolean quorum) {
        return new Asking(quorum).next();
    }

    private final class Asking {

        private final boolean quorum;
        private final Map<PodKey, Parent> parents = new TreeMap<>();
        private final Set<String> uids = new LinkedHashSet<>();
        private final List<String> left = new ArrayList<>(namespaces);
        private String continueToken = "";

        Asking(boolean quorum) {
            this.quorum = quorum;
        }

        CompletionStage<Outcome<Listed, KubeError>> next() {
            if (left.isEmpty()) {
                return withNode();
            }
            ListQuery query = new ListQuery(left.get(0), "", "spec.nodeName=" + node, quorum ? "" : "0", PAGE, "");
            ListQuery page = continueToken.isEmpty() ? query : query.at("").continuing(continueToken);
            return kube.list(PODS, page).thenCompose(answer -> answer.fold(this::take, Asking::failed));
        }

        private CompletionStage<Outcome<Listed, KubeError>> take(Page<ObjectNode> page) {
            for (ObjectNode pod : page.items()) {
                uids.add(pod.path("metadata").path("uid").asString(""));
                Parent.of(pod).ifPresent(parent -> parents.put(parent.key(), parent));
            }
            continueToken = page.continueToken();
            if (continueToken.isEmpty()) {
                left.remove(0);
            }
            return next();
        }

        private CompletionStage<Outcome<Listed, KubeError>> withNode() {
            if (!quorum) {
                return done(listed(Optional.empty()));
            }
            return kube.get(NODES, ObjectRef.cluster(node))
                    .thenApply(answer -> answer.fold(
                            found -> Outcome.ok(listed(Optional.of(nodeObject(found)))),
                            error -> error instanceof KubeError.NotFound
                                    ? Outcome.ok(listed(Optional.empty()))
                                    : Outcome.failed(error)));
        }

        private static NodeObject nodeObject(ObjectNode node) {
            return new NodeObject(
                    node.path("metadata").path("uid").asString(""),
                    node.path("status").path("nodeInfo").path("kubeletVersion").asString(""));
        }

        private Listed listed(Optional<NodeObject> nodeObject) {
            return new Listed(ImmutableSortedMap.copyOf(parents), ImmutableSet.copyOf(uids), nodeObject, quorum);
        }

        private static CompletionStage<Outcome<Listed, KubeError>> failed(KubeError error) {
            return CompletableFuture.completedFuture(Outcome.failed(error));
        }

        private static CompletionStage<Outcome<Listed, KubeError>> done(Listed listed) {
            return CompletableFuture.completedFuture(Outcome.ok(listed));
        }
    }
}
