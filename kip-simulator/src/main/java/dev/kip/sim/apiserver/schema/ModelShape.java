package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The shape of a built-in kind.
 *
 * @param place the Go type and the field in it: {@code PodSpec.containers}
 */
record ModelShape(Field field, String place) implements Shape {

    private static final ImmutableList<String> NAME = ImmutableList.of("name");
    private static final ImmutableList<String> TYPE = ImmutableList.of("type");
    private static final ImmutableList<String> PORT = ImmutableList.of("containerPort", "protocol");

    private static final ImmutableMap<String, ImmutableList<String>> KEYED =
            ImmutableMap.<String, ImmutableList<String>>builder()
                    .put("MutatingWebhook.matchConditions", NAME)
                    .put("MutatingWebhookConfiguration.webhooks", NAME)
                    .put("ValidatingWebhook.matchConditions", NAME)
                    .put("ValidatingWebhookConfiguration.webhooks", NAME)
                    .put("DaemonSetStatus.conditions", TYPE)
                    .put("DeploymentStatus.conditions", TYPE)
                    .put("ReplicaSetStatus.conditions", TYPE)
                    .put("StatefulSetStatus.conditions", TYPE)
                    .put("HorizontalPodAutoscalerStatus.conditions", TYPE)
                    .put("CertificateSigningRequestStatus.conditions", TYPE)
                    .put("CustomResourceDefinitionStatus.conditions", TYPE)
                    .put("Container.env", NAME)
                    .put("Container.ports", PORT)
                    .put("Container.volumeDevices", ImmutableList.of("devicePath"))
                    .put("Container.volumeMounts", ImmutableList.of("mountPath"))
                    .put("EphemeralContainer.env", NAME)
                    .put("EphemeralContainer.ports", PORT)
                    .put("EphemeralContainer.volumeDevices", ImmutableList.of("devicePath"))
                    .put("EphemeralContainer.volumeMounts", ImmutableList.of("mountPath"))
                    .put("ContainerStatus.allocatedResourcesStatus", NAME)
                    .put("ContainerStatus.volumeMounts", ImmutableList.of("mountPath"))
                    .put("NamespaceStatus.conditions", TYPE)
                    .put("NodeStatus.addresses", TYPE)
                    .put("NodeStatus.conditions", TYPE)
                    .put("PersistentVolumeClaimStatus.conditions", TYPE)
                    .put("PodSpec.containers", NAME)
                    .put("PodSpec.ephemeralContainers", NAME)
                    .put("PodSpec.initContainers", NAME)
                    .put("PodSpec.hostAliases", ImmutableList.of("ip"))
                    .put("PodSpec.imagePullSecrets", NAME)
                    .put("PodSpec.resourceClaims", NAME)
                    .put("PodSpec.schedulingGates", NAME)
                    .put("PodSpec.topologySpreadConstraints", ImmutableList.of("topologyKey", "whenUnsatisfiable"))
                    .put("PodSpec.volumes", NAME)
                    .put("PodStatus.conditions", TYPE)
                    .put("PodStatus.podIPs", ImmutableList.of("ip"))
                    .put("PodStatus.resourceClaimStatuses", NAME)
                    .put("ReplicationControllerStatus.conditions", TYPE)
                    .put("ResourceRequirements.claims", NAME)
                    .put("ServiceAccount.secrets", NAME)
                    .put("ServiceSpec.ports", ImmutableList.of("port", "protocol"))
                    .put("ServiceStatus.conditions", TYPE)
                    .put("PodDisruptionBudgetStatus.conditions", TYPE)
                    .put("CSINodeSpec.drivers", NAME)
                    .put("ObjectMeta.ownerReferences", ImmutableList.of("uid"))
                    .buildOrThrow();

    private static final ImmutableSet<String> SETS = ImmutableSet.of(
            "ObjectMeta.finalizers",
            "NodeSpec.podCIDRs",
            "UncountedTerminatedPods.failed",
            "UncountedTerminatedPods.succeeded",
            "PodFailurePolicyOnExitCodesRequirement.values",
            "ContainerRestartRuleOnExitCodes.values",
            "CSIDriverSpec.volumeLifecycleModes");

    /** Objects, and maps by their place, that have one owner as a whole. */
    private static final ImmutableSet<String> WHOLE = ImmutableSet.of(
            "MatchResources",
            "NamedRuleWithOperations",
            "ParamKind",
            "ParamRef",
            "Variable",
            "CrossVersionObjectReference",
            "ConfigMapKeySelector",
            "EndpointAddress",
            "EndpointPort",
            "FileKeySelector",
            "LocalObjectReference",
            "NodeSelector",
            "NodeSelectorTerm",
            "ObjectFieldSelector",
            "ObjectReference",
            "ResourceFieldSelector",
            "ScopeSelector",
            "SecretKeySelector",
            "SecretReference",
            "TopologySelectorTerm",
            "TypedLocalObjectReference",
            "ServiceBackendPort",
            "RoleRef",
            "Subject",
            "LabelSelector",
            "OwnerReference",
            "PodSpec.nodeSelector",
            "ReplicationControllerSpec.selector",
            "ServiceSpec.selector",
            "Scheduling.nodeSelector");

    @Override
    public Form form(JsonNode value) {
        if (value.isNull() || WHOLE.contains(place)) {
            return Form.WHOLE;
        }
        if (field instanceof Field.ObjectOf object && value.isObject()) {
            return WHOLE.contains(object.goName()) ? Form.WHOLE : Form.STRUCT;
        }
        if (field instanceof Field.ListOf && value.isArray()) {
            return KEYED.containsKey(place) ? Form.KEYED : SETS.contains(place) ? Form.SET : Form.WHOLE;
        }
        return value.isObject() && (field instanceof Field.MapOf || field == Field.ANY) ? Form.MAP : Form.WHOLE;
    }

    @Override
    public boolean declares(String name) {
        return field instanceof Field.ObjectOf object && object.fields().containsKey(name);
    }

    @Override
    public boolean allows(String name) {
        return !(field instanceof Field.ObjectOf) || declares(name);
    }

    @Override
    public Shape of(String name) {
        if (field instanceof Field.ObjectOf object) {
            Field inner = object.fields().get(name);
            return inner == null ? UNTYPED : new ModelShape(inner, object.goName() + "." + name);
        }
        return field instanceof Field.MapOf map ? new ModelShape(map.element(), "") : UNTYPED;
    }

    @Override
    public Optional<String> mismatch(JsonNode value) {
        if (value.isNull()) {
            return Optional.empty();
        }
        if ((field == Field.STRING || field == Field.TIME) && !value.isString()) {
            return Optional.of("expected string, got " + go(value));
        }
        if ((field == Field.INT32 || field == Field.INT64 || field == Field.NUMBER) && !value.isNumber()) {
            return Optional.of("expected numeric (int or float), got " + (value.isString() ? "string" : go(value)));
        }
        if (field == Field.BOOLEAN && !value.isBoolean()) {
            return Optional.of("expected boolean, got " + go(value));
        }
        return Optional.empty();
    }

    private static String go(JsonNode value) {
        return "&value.valueUnstructured{Value:" + (value.isString() ? value.toString() : value.asString("")) + "}";
    }

    @Override
    public Shape element() {
        return field instanceof Field.ListOf list ? new ModelShape(list.element(), "") : UNTYPED;
    }

    @Override
    public ImmutableList<String> keys() {
        return KEYED.getOrDefault(place, ImmutableList.of());
    }

    @Override
    public String keyDefault(String key) {
        return key.equals("protocol") ? "TCP" : "";
    }
}
