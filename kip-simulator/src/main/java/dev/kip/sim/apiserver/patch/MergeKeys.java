package dev.kip.sim.apiserver.patch;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * Which lists of built-in kinds a strategic merge patch merges, and by which field of their elements: the published
 * {@code x-kubernetes-patch-merge-key} facts. Every list not named here is replaced whole.
 */
final class MergeKeys {

    /** Elements are plain values: merging is set union. */
    static final String PRIMITIVE = "";

    private static final ImmutableMap<String, String> BY_FIELD = ImmutableMap.<String, String>builder()
            .put("containers", "name")
            .put("initContainers", "name")
            .put("ephemeralContainers", "name")
            .put("volumes", "name")
            .put("env", "name")
            .put("imagePullSecrets", "name")
            .put("schedulingGates", "name")
            .put("resourceClaims", "name")
            .put("volumeMounts", "mountPath")
            .put("volumeDevices", "devicePath")
            .put("hostAliases", "ip")
            .put("podIPs", "ip")
            .put("hostIPs", "ip")
            .put("topologySpreadConstraints", "topologyKey")
            .put("conditions", "type")
            .put("ownerReferences", "uid")
            .put("finalizers", PRIMITIVE)
            .buildOrThrow();

    /** Lists that only one kind merges. */
    private static final ImmutableMap<String, String> BY_KIND_AND_FIELD = ImmutableMap.<String, String>builder()
            .put("Service/ports", "port")
            .put("ServiceAccount/secrets", "name")
            .put("Node/addresses", "type")
            .put("Node/podCIDRs", PRIMITIVE)
            .put("CSINode/drivers", "name")
            .put("MutatingWebhookConfiguration/webhooks", "name")
            .put("ValidatingWebhookConfiguration/webhooks", "name")
            .buildOrThrow();

    private MergeKeys() {}

    /**
     * @param kind of the whole object
     * @param parent name of the list or object that holds the field
     */
    static Optional<String> of(String kind, String parent, String field) {
        if (field.equals("ports")
                && (parent.equals("containers")
                        || parent.equals("initContainers")
                        || parent.equals("ephemeralContainers"))) {
            return Optional.of("containerPort");
        }
        String ofKind = BY_KIND_AND_FIELD.get(kind + "/" + field);
        if (ofKind != null) {
            return Optional.of(ofKind);
        }
        // The conditions of a custom resource definition are an ordinary list: their Go type has no patch strategy.
        if (kind.equals("CustomResourceDefinition") && field.equals("conditions")) {
            return Optional.empty();
        }
        // A namespace's spec.finalizers has no patch strategy either, unlike metadata.finalizers.
        if (field.equals("finalizers") && !parent.equals("metadata")) {
            return Optional.empty();
        }
        return Optional.ofNullable(BY_FIELD.get(field));
    }
}
