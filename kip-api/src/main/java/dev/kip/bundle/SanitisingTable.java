package dev.kip.bundle;

import static dev.kip.bundle.Rule.drop;
import static dev.kip.bundle.Rule.keep;
import static dev.kip.bundle.Rule.refuse;
import static dev.kip.bundle.Rule.rewrite;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What becomes of a pod's fields on the way into a static pod, row by row. A field without a row, known or not, is carried
 * as it is. Seen on kubelet 1.34 in standalone mode; the rows run in order.
 */
public final class SanitisingTable {

    private static final String ATTACHED = "volumes that must be attached or provisioned cannot be carried to a cell";

    private static final String SCHEDULED =
            "obeyed by the scheduler and when the instance is chosen; kubelet would fail the pod for labels that the cell lacks";
    private static final String FILES =
            "files of the agent's in memory, with their names and modes; a change is there within a minute";

    static final ImmutableList<Rule> ROWS = ImmutableList.of(
            keep("metadata.uid", "without it kubelet takes any change for another pod and runs it again"),
            keep("metadata.generation", "status.observedGeneration follows it"),
            drop("metadata.managedFields", "nothing on a cell reads it"),
            drop("metadata.selfLink", "nothing on a cell reads it"),
            drop("metadata.ownerReferences", "the owners are not on the cell"),
            drop("metadata.finalizers", "nobody on the cell would clear them"),
            drop("metadata.resourceVersion", "changes with every write of the status"),
            drop(
                    "metadata.deletionTimestamp",
                    "at first write the pod would never start; ending is an order of its own"),
            drop("metadata.deletionGracePeriodSeconds", "goes with deletionTimestamp"),
            rewrite(
                    "status",
                    "only conditions of readiness gates: kubelet takes them from the manifest",
                    SanitisingTable::gates),
            drop("spec.nodeName", "the virtual node's; the cell's kubelet has a name of its own"),
            drop("spec.nodeSelector", SCHEDULED),
            drop("spec.affinity", SCHEDULED),
            drop("spec.topologySpreadConstraints", "obeyed by the scheduler; nothing is left of it for kubelet"),
            drop("spec.schedulerName", "obeyed by the scheduler; nothing is left of it for kubelet"),
            drop("spec.schedulingGates", "over when the pod has a node"),
            drop("spec.preemptionPolicy", "obeyed by the scheduler; nothing is left of it for kubelet"),
            drop("spec.tolerations", "a cell has no taints"),
            drop("spec.overhead", "goes with runtimeClassName"),
            refuse(
                    "spec.runtimeClassName",
                    "a cell has one runtime: kubelet without an API server crashes on a runtime class"),
            refuse("spec.ephemeralContainers", "cannot be added on a cell: kubelet would end the running pod"),
            refuse("spec.resourceClaims", "resource claims cannot be carried to a cell"),
            drop("spec.imagePullSecrets", "carried as kubelet's own credentials of registries"),
            refuse("spec.containers[*].restartPolicy", "kubelet refuses it on ordinary containers of a static pod"),
            refuse(
                    "spec.containers[*].restartPolicyRules",
                    "kubelet refuses it on ordinary containers of a static pod"),
            rewrite(
                    "spec.containers[*].env",
                    "sources are read when the pod is handed over, and become plain values",
                    EnvironmentRewrites::env),
            rewrite(
                    "spec.initContainers[*].env",
                    "sources are read when the pod is handed over, and become plain values",
                    EnvironmentRewrites::env),
            rewrite(
                    "spec.containers[*].envFrom",
                    "read when the pod is handed over; its variables go before those of env",
                    EnvironmentRewrites::envFrom),
            rewrite(
                    "spec.initContainers[*].envFrom",
                    "read when the pod is handed over; its variables go before those of env",
                    EnvironmentRewrites::envFrom),
            rewrite("spec", "variables say where the API server is", EnvironmentRewrites::apiServer),
            drop(
                    "spec.serviceAccountName",
                    "static pods may not name one: its tokens are carried as files, its name as a variable"),
            drop("spec.serviceAccount", "the old name of serviceAccountName"),
            keep("spec.automountServiceAccountToken", "harmless"),
            refuse("spec.volumes[*].persistentVolumeClaim", "claims cannot be carried to a cell yet"),
            refuse("spec.volumes[*].ephemeral", "claims cannot be carried to a cell yet"),
            refuse("spec.volumes[*].csi", "CSI volumes need a driver, which a cell does not have"),
            refuse("spec.volumes[*].awsElasticBlockStore", ATTACHED),
            refuse("spec.volumes[*].azureDisk", ATTACHED),
            refuse("spec.volumes[*].azureFile", ATTACHED),
            refuse("spec.volumes[*].cephfs", ATTACHED),
            refuse("spec.volumes[*].cinder", ATTACHED),
            refuse("spec.volumes[*].fc", ATTACHED),
            refuse("spec.volumes[*].flexVolume", ATTACHED),
            refuse("spec.volumes[*].flocker", ATTACHED),
            refuse("spec.volumes[*].gcePersistentDisk", ATTACHED),
            refuse("spec.volumes[*].glusterfs", ATTACHED),
            refuse("spec.volumes[*].iscsi", ATTACHED),
            refuse("spec.volumes[*].photonPersistentDisk", ATTACHED),
            refuse("spec.volumes[*].portworxVolume", ATTACHED),
            refuse("spec.volumes[*].quobyte", ATTACHED),
            refuse("spec.volumes[*].rbd", ATTACHED),
            refuse("spec.volumes[*].scaleIO", ATTACHED),
            refuse("spec.volumes[*].storageos", ATTACHED),
            refuse("spec.volumes[*].vsphereVolume", ATTACHED),
            rewrite("spec.volumes[*].secret", FILES, VolumeRewrites::secret),
            rewrite("spec.volumes[*].configMap", FILES, VolumeRewrites::configMap),
            rewrite("spec.volumes[*].projected", FILES, VolumeRewrites::projected),
            rewrite(
                    "spec.volumes[*].downwardAPI",
                    "the pod's name there would be the cell's",
                    VolumeRewrites::downwardApi),
            rewrite("spec.containers[*].volumeMounts[*].name", "read-only as before", VolumeRewrites::mount),
            rewrite("spec.initContainers[*].volumeMounts[*].name", "read-only as before", VolumeRewrites::mount),
            rewrite("spec", "the container's host name would have the cell's suffix", SanitisingTable::hostname));

    private SanitisingTable() {}

    /** Why a field is not carried as it is, by the field's path, in the order of the rows; what is about the pod as a whole is not among them. */
    public static ImmutableMap<String, String> reasons() {
        return ROWS.stream()
                .filter(row -> row.path().contains("."))
                .collect(ImmutableMap.toImmutableMap(Rule::path, Rule::reason, (one, other) -> other));
    }

    /** Whether a pod with this field gets no cell. */
    public static boolean refused(String path) {
        return ROWS.stream().anyMatch(row -> row.path().equals(path) && row.action() == Rule.Action.REFUSE);
    }

    private static void gates(Site site, Workpiece piece) {
        ArrayNode kept = site.parent().arrayNode();
        for (var gate : piece.original().path("spec").path("readinessGates")) {
            for (var condition : site.value().path("conditions")) {
                if (condition.path("type").equals(gate.path("conditionType"))) {
                    kept.add(condition.deepCopy());
                }
            }
        }
        site.remove();
        if (!kept.isEmpty()) {
            site.parent().putObject("status").set("conditions", kept);
        }
    }

    private static void hostname(Site site, Workpiece piece) {
        if (!(site.value() instanceof ObjectNode spec) || spec.has("hostnameOverride")) {
            return;
        }
        if (spec.path("hostname").asString("").isEmpty()) {
            spec.put("hostname", label(piece.text("metadata", "name")));
        }
    }

    /** As kubelet cuts a pod's name to a host name; the field, other than the name, may not have dots. */
    private static String label(String name) {
        String dashed = name.replace('.', '-');
        String cut = dashed.length() <= 63 ? dashed : dashed.substring(0, 63);
        return cut.replaceAll("-+$", "");
    }
}
