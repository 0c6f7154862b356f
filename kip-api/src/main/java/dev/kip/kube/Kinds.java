package dev.kip.kube;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import tools.jackson.databind.node.ObjectNode;

/** The built-in kinds that Kip touches. {@link ResourceKind#as} reads one of them in another shape. */
public final class Kinds {

    public static final ResourceKind<Pod> PODS =
            new ResourceKind<>("", "v1", "Pod", "pods", true, Codecs.model(Pod.class));

    public static final ResourceKind<Node> NODES =
            new ResourceKind<>("", "v1", "Node", "nodes", false, Codecs.model(Node.class));

    public static final ResourceKind<Lease> LEASES =
            new ResourceKind<>("coordination.k8s.io", "v1", "Lease", "leases", true, Codecs.model(Lease.class));

    /** Of the core group. */
    public static final ResourceKind<ObjectNode> EVENTS =
            new ResourceKind<>("", "v1", "Event", "events", true, Codecs.tree());

    public static final ResourceKind<Secret> SECRETS =
            new ResourceKind<>("", "v1", "Secret", "secrets", true, Codecs.model(Secret.class));

    public static final ResourceKind<ConfigMap> CONFIG_MAPS =
            new ResourceKind<>("", "v1", "ConfigMap", "configmaps", true, Codecs.model(ConfigMap.class));

    public static final ResourceKind<ObjectNode> SERVICE_ACCOUNTS =
            new ResourceKind<>("", "v1", "ServiceAccount", "serviceaccounts", true, Codecs.tree());

    public static final ResourceKind<Namespace> NAMESPACES =
            new ResourceKind<>("", "v1", "Namespace", "namespaces", false, Codecs.model(Namespace.class));

    public static final ResourceKind<Service> SERVICES =
            new ResourceKind<>("", "v1", "Service", "services", true, Codecs.model(Service.class));

    public static final ResourceKind<ObjectNode> CUSTOM_RESOURCE_DEFINITIONS = new ResourceKind<>(
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            false,
            Codecs.tree());

    private Kinds() {}
}
