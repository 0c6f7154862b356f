package dev.kip.checkpointer.sanitise;

import static dev.kip.bundle.Rule.drop;
import static dev.kip.bundle.Rule.keep;
import static dev.kip.bundle.Rule.note;
import static dev.kip.bundle.Rule.refuse;
import static dev.kip.bundle.Rule.rewrite;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.bundle.EnvironmentRewrites;
import dev.kip.bundle.Refusal;
import dev.kip.bundle.Rule;
import dev.kip.bundle.Site;
import dev.kip.bundle.VolumeRewrites;
import dev.kip.bundle.Workpiece;
import dev.kip.checkpointer.kubelet.VolumeKinds;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What becomes of a pod's fields in its checkpoint, row by row, in this order. A field without a row, known or not, is
 * carried as it is, digit by digit: the defect of 2018 was a field that a typed model did not know.
 */
public final class CheckpointTable {

    private static final String SCHEDULING =
            "scheduling is over; with no API server kubelet may know none of the labels";
    private static final String SERVERS = "the API server's own bookkeeping";
    private static final String CLAIMS = "a claim must be resolved through the API server";
    private static final String ATTACHED = "a controller attaches it, which needs the API server";
    private static final String ENVIRONMENT = "kubelet would ask the API server: a plain value, in its place and order";
    private static final String SOURCES = "its variables go before those of env, as kubelet has it";

    private static final ImmutableSet<String> LABELS_OF_OWNERS =
            ImmutableSet.of("pod-template-hash", "controller-revision-hash", "pod-template-generation");

    private static final ImmutableSet<String> ANNOTATIONS_OF_OTHERS = ImmutableSet.of(
            CheckpointMarks.WANTED,
            "kubernetes.io/config.hash",
            "kubernetes.io/config.mirror",
            "kubernetes.io/config.seen",
            "kubernetes.io/config.source",
            "kubectl.kubernetes.io/last-applied-configuration");

    private static final ImmutableSet<String> IDENTITY = ImmutableSet.of("metadata.name", "metadata.uid");

    public static final ImmutableList<Rule> ROWS = ImmutableList.<Rule>builder()
            .add(keep("metadata.name", "kubelet adds the node's name, so that pod and checkpoint are two"))
            .add(keep("metadata.namespace", "as it is"))
            .add(drop("metadata.uid", "the pod's own: a checkpoint of the same uid would be the same pod to kubelet"))
            .add(drop("metadata.resourceVersion", SERVERS))
            .add(drop("metadata.generation", SERVERS))
            .add(drop("metadata.creationTimestamp", SERVERS))
            .add(drop("metadata.managedFields", SERVERS))
            .add(drop("metadata.selfLink", SERVERS))
            .add(drop("metadata.generateName", SERVERS))
            .add(drop("metadata.deletionTimestamp", "kubelet would take the checkpoint for one being deleted"))
            .add(drop("metadata.deletionGracePeriodSeconds", "goes with deletionTimestamp"))
            .add(drop("metadata.finalizers", "nobody would clear them from a mirror pod"))
            .add(
                    drop(
                            "metadata.ownerReferences",
                            "since 1.17 kubelet makes the node the owner; before, the garbage collector would delete the mirror"))
            .add(rewrite(
                    "metadata.labels",
                    "what the owner counts its pods by goes; services need the others",
                    (site, piece) -> without(site, LABELS_OF_OWNERS)))
            .add(rewrite(
                    "metadata.annotations",
                    "an old profile gets its field: a newer kubelet reads the field alone",
                    ProfileRewrite::annotations))
            .add(rewrite(
                    "metadata.annotations",
                    "the mark of the pod, and what kubelet and kubectl write themselves",
                    (site, piece) -> without(site, ANNOTATIONS_OF_OTHERS)))
            .add(rewrite("metadata", "says whose checkpoint it is", CheckpointTable::marks))
            .add(drop("status", "kubelet makes a new one"))
            .add(drop("spec.nodeName", "kubelet writes its own"))
            .add(drop("spec.nodeSelector", SCHEDULING))
            .add(drop("spec.affinity", SCHEDULING))
            .add(drop("spec.topologySpreadConstraints", SCHEDULING))
            .add(drop("spec.tolerations", "scheduling is over; kubelet adds the one that matters"))
            .add(drop("spec.schedulerName", "scheduling is over"))
            .add(drop("spec.schedulingGates", "forbidden on a pod that has a node"))
            .add(drop("spec.schedulingGroup", "scheduling is over"))
            .add(drop("spec.workloadRef", "scheduling is over"))
            .add(drop(
                    "spec.preemptionPolicy",
                    "scheduling is over; a mirror pod with another than its class's is refused"))
            .add(drop("spec.readinessGates", "nobody sets the condition on a mirror pod"))
            .add(rewrite(
                    "spec.priorityClassName",
                    "with its value, or not at all: kubelet resolves no classes, and the API server refuses a mirror"
                            + " pod whose number is another",
                    PriorityRewrite::named))
            .add(rewrite("spec.priority", "a number without a class hides the mirror pod", PriorityRewrite::number))
            .add(drop("spec.serviceAccountName", "static pods may not name one; its tokens are carried as files"))
            .add(drop("spec.serviceAccount", "static pods may not name one"))
            .add(rewrite("spec", "no token is to be mounted that nobody can renew", CheckpointTable::noToken))
            .add(drop("spec.imagePullSecrets", "static pods may not name one: the image must be on the node"))
            .add(drop("spec.ephemeralContainers", "kubelet refuses a file with them"))
            .add(drop("spec.overhead", "goes with a runtime class"))
            .add(refuse(
                    "spec.runtimeClassName",
                    "a runtime class is an object of the API server: make its handler the runtime's default"))
            .add(refuse(
                    "spec.resourceClaims", "resource claims need the API server: kubelet refuses them in static pods"))
            .add(rewrite("spec.restartPolicy", "a checkpoint is there to run", CheckpointTable::restartPolicy))
            .addAll(containers("spec.containers[*]"))
            .addAll(containers("spec.initContainers[*]"))
            .add(keep("spec.initContainers[*].restartPolicy", "native sidecars stay what they are"))
            .add(drop("spec.containers[*].restartPolicy", "kubelet refuses it in static pods before 1.35"))
            .add(drop("spec.containers[*].restartPolicyRules", "goes with restartPolicy"))
            .add(rewrite("spec.volumes[*].secret", "a directory of the checkpoint", VolumeRewrites::secret))
            .add(rewrite("spec.volumes[*].configMap", "a directory of the checkpoint", VolumeRewrites::configMap))
            .add(rewrite(
                    "spec.volumes[*].projected",
                    "one directory with what its sources give; tokens are renewed there",
                    VolumeRewrites::projected))
            .add(note(
                    "spec.volumes[*].downwardAPI.items[*].fieldRef.fieldPath",
                    "the checkpoint's own: its name has the node's behind it, and its uid is another",
                    site -> IDENTITY.contains(site.value().asString(""))))
            .add(keep("spec.volumes[*].emptyDir", "each copy of the pod has its own"))
            .add(keep("spec.volumes[*].hostPath", "as it is"))
            .add(keep("spec.volumes[*].image", "the image must be on the node"))
            .add(keep("spec.volumes[*].nfs", "the host mounts it"))
            .add(refuse("spec.volumes[*].persistentVolumeClaim", CLAIMS))
            .add(refuse("spec.volumes[*].ephemeral", CLAIMS))
            .add(refuse("spec.volumes[*].csi", "a CSI driver is an object of the API server"))
            .add(refuse("spec.volumes[*].gitRepo", "it would be cloned anew, and is off since 1.33"))
            .add(refuse("spec.volumes[*].glusterfs", "its endpoints are an object of the API server"))
            .add(refuse("spec.volumes[*].azureFile", "its secret is an object of the API server"))
            .add(refuse("spec.volumes[*].awsElasticBlockStore", ATTACHED))
            .add(refuse("spec.volumes[*].azureDisk", ATTACHED))
            .add(refuse("spec.volumes[*].cephfs", "its secret is an object of the API server"))
            .add(refuse("spec.volumes[*].cinder", ATTACHED))
            .add(refuse("spec.volumes[*].fc", ATTACHED))
            .add(refuse("spec.volumes[*].flexVolume", ATTACHED))
            .add(refuse("spec.volumes[*].flocker", "no kubelet that is maintained has it"))
            .add(refuse("spec.volumes[*].gcePersistentDisk", ATTACHED))
            .add(refuse("spec.volumes[*].iscsi", ATTACHED))
            .add(refuse("spec.volumes[*].photonPersistentDisk", ATTACHED))
            .add(refuse("spec.volumes[*].portworxVolume", ATTACHED))
            .add(refuse("spec.volumes[*].quobyte", "no kubelet that is maintained has it"))
            .add(refuse("spec.volumes[*].rbd", "its secret is an object of the API server"))
            .add(refuse("spec.volumes[*].scaleIO", ATTACHED))
            .add(refuse("spec.volumes[*].storageos", ATTACHED))
            .add(refuse("spec.volumes[*].vsphereVolume", ATTACHED))
            .add(rewrite(
                    "spec.volumes", "a kind that is not known cannot be made to last", CheckpointTable::unknownKinds))
            .add(rewrite("spec.containers[*].volumeMounts[*].name", "read-only as before", VolumeRewrites::mount))
            .add(rewrite("spec.initContainers[*].volumeMounts[*].name", "read-only as before", VolumeRewrites::mount))
            .add(keep("spec.securityContext", "as it is; the files of its volumes go to runAsUser and fsGroup"))
            .add(keep("spec.hostNetwork", "as it is"))
            .add(keep("spec.dnsPolicy", "works, though service addresses do not route until kube-proxy runs"))
            .add(keep("spec.hostAliases", "as it is"))
            .add(keep("spec.terminationGracePeriodSeconds", "kubelet keeps to it"))
            .add(keep("spec.shareProcessNamespace", "as it is"))
            .add(keep("spec.hostUsers", "as it is"))
            .add(keep("spec.os", "as it is"))
            .build();

    private CheckpointTable() {}

    private static ImmutableList<Rule> containers(String container) {
        return ImmutableList.of(
                rewrite(container + ".env", ENVIRONMENT, EnvironmentRewrites::env),
                rewrite(container + ".envFrom", SOURCES, EnvironmentRewrites::envFrom),
                note(
                        container + ".env[*].valueFrom.fieldRef.fieldPath",
                        "the checkpoint's own: its name has the node's behind it, and its uid is another",
                        site -> IDENTITY.contains(site.value().asString(""))),
                refuse(container + ".resources.claims", "resource claims need the API server"),
                keep(container + ".resources", "a static pod may push others out to have them"),
                rewrite(
                        container + ".image",
                        "the registry may be away too: what is on the node is used",
                        CheckpointTable::pullPolicy),
                rewrite(
                        container + ".ports",
                        "on the host's network they decide nothing but admission, where pod and checkpoint would exclude"
                                + " each other",
                        PortRewrite::ports),
                keep(container + ".livenessProbe", "kubelet does it; ports by name become numbers"),
                keep(container + ".lifecycle", "kubelet does it; ports by name become numbers"),
                keep(container + ".securityContext", "as it is"));
    }

    private static void without(Site site, ImmutableSet<String> keys) {
        if (site.value() instanceof ObjectNode map) {
            keys.forEach(map::remove);
            if (map.isEmpty()) {
                site.remove();
            }
        }
    }

    private static void marks(Site site, Workpiece piece) {
        if (site.value() instanceof ObjectNode metadata) {
            ObjectNode annotations = metadata.withObject("/annotations");
            annotations.put(CheckpointMarks.OF, piece.text("metadata", "name"));
            String uid = piece.text("metadata", "uid");
            if (!uid.isEmpty()) {
                annotations.put(CheckpointMarks.OF_UID, uid);
            }
        }
    }

    private static void noToken(Site site, Workpiece piece) {
        if (site.value() instanceof ObjectNode spec) {
            spec.put("automountServiceAccountToken", false);
        }
    }

    private static void restartPolicy(Site site, Workpiece piece) {
        String policy = site.value().asString("");
        if (!policy.equals("Always") && !policy.isEmpty()) {
            piece.refuse(
                    Refusal.Kind.REFUSED,
                    site.path(),
                    "restartPolicy " + policy + ": what may end for good is no pod to bring back");
        }
    }

    private static void pullPolicy(Site site, Workpiece piece) {
        if (!site.parent().path("imagePullPolicy").asString("").equals("Never")) {
            site.parent().put("imagePullPolicy", "IfNotPresent");
        }
    }

    private static void unknownKinds(Site site, Workpiece piece) {
        JsonNode volumes = site.value();
        for (int i = 0; i < volumes.size(); i++) {
            for (Map.Entry<String, JsonNode> field : volumes.get(i).properties()) {
                if (!field.getKey().equals("name") && !VolumeKinds.all().contains(field.getKey())) {
                    piece.refuse(
                            Refusal.Kind.REFUSED,
                            site.path() + "[" + i + "]." + field.getKey(),
                            "a volume of kind " + field.getKey() + " is not known: whether it lasts cannot be said");
                }
            }
        }
    }
}
