package dev.kip.checkpointer.kubelet;

import static dev.kip.checkpointer.kubelet.Draft.rule;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Site;
import dev.kip.checkpointer.kubelet.KubeletRule.Check;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.stream.Stream;

/** Since 1.34 kubelet does not load a static pod that refers to an object of the API server, in this order. */
final class ReferenceRules {

    private static final String SOURCE = "k/k#131837; gate PreventStaticPodAPIReferences, gone in 1.37 (k/k#140226)";
    private static final String CONTAINERS = "containers,initContainers,ephemeralContainers";

    static final ImmutableList<KubeletRule> ALL = ImmutableList.of(
            refers("refers-to-account", "spec.serviceAccountName", "serviceaccounts")
                    .mend("drop it; if the pod talks to the API server, mount a kubeconfig of the host")
                    .when(anyOf("spec.serviceAccountName", "spec.serviceAccount")),
            refers("refers-to-pull-secret", "spec.imagePullSecrets", "secrets")
                    .mend("drop them: pull the image beforehand, or give containerd the credentials")
                    .whenPresent(),
            refers("refers-to-secret-env", "spec.containers[*].env[*].valueFrom.secretKeyRef", "secrets")
                    .mend("write the value into the manifest, which is then to be 0600")
                    .when(inContainers("env[*].valueFrom.secretKeyRef")),
            refers("refers-to-secret-env", "spec.containers[*].envFrom[*].secretRef", "secrets")
                    .mend("write the values into the manifest, which is then to be 0600")
                    .when(inContainers("envFrom[*].secretRef")),
            refers("refers-to-secret", "spec.volumes[*].secret", "secrets")
                    .mend("copy the secret into a directory of the host and mount that")
                    .whenPresent(),
            refers("refers-to-secret", "spec.volumes[*].projected.sources[*].secret", "secrets")
                    .mend("copy the secret into a directory of the host and mount that")
                    .whenPresent(),
            refers("refers-to-storage-secret", "spec.volumes[*].azureFile", "secrets")
                    .mend("a volume that needs a secret of the API server cannot be in a static pod")
                    .when(anyOf(
                            "spec.volumes[*].azureFile",
                            "spec.volumes[*].cephfs.secretRef",
                            "spec.volumes[*].cinder.secretRef",
                            "spec.volumes[*].flexVolume.secretRef",
                            "spec.volumes[*].rbd.secretRef",
                            "spec.volumes[*].scaleIO.secretRef",
                            "spec.volumes[*].iscsi.secretRef",
                            "spec.volumes[*].storageos.secretRef",
                            "spec.volumes[*].csi.nodePublishSecretRef")),
            refers("refers-to-config-map-env", "spec.containers[*].env[*].valueFrom.configMapKeyRef", "configmaps")
                    .mend("write the value into the manifest")
                    .when(inContainers("env[*].valueFrom.configMapKeyRef")),
            refers("refers-to-config-map-env", "spec.containers[*].envFrom[*].configMapRef", "configmaps")
                    .mend("write the values into the manifest")
                    .when(inContainers("envFrom[*].configMapRef")),
            refers("refers-to-config-map", "spec.volumes[*].configMap", "configmaps")
                    .mend("copy it into a directory of the host and mount that")
                    .whenPresent(),
            refers("refers-to-config-map", "spec.volumes[*].projected.sources[*].configMap", "configmaps")
                    .mend("copy it into a directory of the host and mount that")
                    .whenPresent(),
            refers("refers-to-claim", "spec.resourceClaims", "resourceclaims")
                    .mend("a pod with resource claims cannot be a static pod")
                    .whenPresent(),
            refers("refers-to-csi-driver", "spec.volumes[*].csi", "csidrivers (via CSI volumes)")
                    .mend("a pod with CSI volumes cannot be a static pod")
                    .whenPresent(),
            refers("refers-to-endpoints", "spec.volumes[*].glusterfs", "endpoints (via glusterFS volumes)")
                    .mend("mount it on the host, and the host's directory in the pod")
                    .whenPresent(),
            refers("refers-to-volume-claim", "spec.volumes[*].persistentVolumeClaim", "persistentvolumeclaims")
                    .mend("a pod with claims cannot be a static pod; a hostPath may do")
                    .whenPresent(),
            refers(
                            "refers-to-volume-claim",
                            "spec.volumes[*].ephemeral",
                            "persistentvolumeclaims (via ephemeral volumes)")
                    .mend("use an emptyDir")
                    .when(look ->
                            look.sites("spec.volumes[*].ephemeral").stream().map(site -> Hit.at(site.path()))),
            refers(
                            "refers-to-token",
                            "spec.volumes[*].projected.sources[*].serviceAccountToken",
                            "serviceaccounts (via projected volumes)")
                    .mend("put the token into a file of the host and mount that")
                    .whenPresent(),
            refers(
                            "refers-to-trust-bundle",
                            "spec.volumes[*].projected.sources[*].clusterTrustBundle",
                            "clustertrustbundles")
                    .mend("copy the bundle into a file of the host and mount that")
                    .whenPresent(),
            refers(
                            "refers-to-pod-certificate",
                            "spec.volumes[*].projected.sources[*].podCertificate",
                            "podcertificates")
                    .mend("a pod with a certificate of its own cannot be a static pod")
                    .whenPresent());

    private ReferenceRules() {}

    private static Draft refers(String id, String field, String resource) {
        return rule(id, Stage.REFER, field)
                .since("1.34")
                .says("static pods may not reference " + resource)
                .read(SOURCE);
    }

    private static Check anyOf(String... fields) {
        return look -> Stream.of(fields)
                .flatMap(field -> look.sites(field).stream())
                .filter(Site::saysSomething)
                .map(site -> Hit.at(site.path()));
    }

    private static Check inContainers(String field) {
        return look -> Stream.of(CONTAINERS.split(","))
                .flatMap(kind -> look.sites("spec." + kind + "[*]." + field).stream())
                .map(site -> Hit.at(site.path()));
    }
}
