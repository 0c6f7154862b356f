package dev.kip.checkpointer.gather;

import dev.kip.checkpointer.sanitise.Need;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of API objects that a pod may refer to. */
final class Things {

    static final ResourceKind<ObjectNode> SERVICE_ACCOUNTS =
            new ResourceKind<>("", "v1", "ServiceAccount", "serviceaccounts", true, Codecs.tree());

    private static final ResourceKind<ObjectNode> PRIORITY_CLASSES =
            new ResourceKind<>("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false, Codecs.tree());
    private static final ResourceKind<ObjectNode> RUNTIME_CLASSES =
            new ResourceKind<>("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", false, Codecs.tree());
    private static final ResourceKind<ObjectNode> CLUSTER_TRUST_BUNDLES = new ResourceKind<>(
            "certificates.k8s.io", "v1beta1", "ClusterTrustBundle", "clustertrustbundles", false, Codecs.tree());

    private Things() {}

    static ResourceKind<ObjectNode> kind(Need.Thing thing) {
        return switch (thing.kind()) {
            case SECRET -> Kinds.SECRETS.as(Codecs.tree());
            case CONFIG_MAP -> Kinds.CONFIG_MAPS.as(Codecs.tree());
            case PRIORITY_CLASS -> PRIORITY_CLASSES;
            case RUNTIME_CLASS -> RUNTIME_CLASSES;
            case CLUSTER_TRUST_BUNDLE -> CLUSTER_TRUST_BUNDLES;
        };
    }

    static ObjectRef ref(Need.Thing thing, String namespace) {
        return kind(thing).namespaced() ? new ObjectRef(namespace, thing.name()) : ObjectRef.cluster(thing.name());
    }
}
