package dev.kip.checkpointer.kubelet;

import static dev.kip.checkpointer.kubelet.Draft.rule;
import static dev.kip.checkpointer.kubelet.KubeletRule.cutOff;
import static dev.kip.checkpointer.kubelet.KubeletRule.present;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.checkpointer.kubelet.KubeletRule.Check;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What keeps an admitted pod from running, most of it only while the API server is away. */
final class StartRules {

    private static final String UNTIL_REFUSED = "1.34";
    private static final ImmutableSet<String> RESOLVED_BY_API = ImmutableSet.of("glusterfs", "azureFile");

    /** Since when kubelet names the cache that it waits for, and the attachment (k/k#75260; read in 1.15.12 and 1.16.15). */
    private static final String NAMED = "1.16";

    /** Until it watches secrets and config maps it gets them one by one. */
    private static final String WATCHED = "1.12";

    private static final String REFUSED = "Get https://<API server>: dial tcp: connect: connection refused";
    private static final String OLD_CACHE = "couldn't propagate object cache: timed out waiting for the condition";

    static final ImmutableList<KubeletRule> ALL = ImmutableList.<KubeletRule>builder()
            .addAll(waits(
                    needsApi("waits-for-secret", "spec.volumes[*].secret")
                            .mend("copy the secret into a directory of the host and mount that"),
                    "MountVolume.SetUp failed for volume \"%s\" : ",
                    "failed to sync secret cache: timed out waiting for the condition",
                    volumes("secret")))
            .addAll(waits(
                    needsApi("waits-for-config-map", "spec.volumes[*].configMap")
                            .mend("copy it into a directory of the host and mount that"),
                    "MountVolume.SetUp failed for volume \"%s\" : ",
                    "failed to sync configmap cache: timed out waiting for the condition",
                    volumes("configMap")))
            .addAll(waits(
                    needsApi("waits-for-sources", "spec.volumes[*].projected.sources[*]")
                            .mend("copy what the sources give into a directory of the host and mount that"),
                    "MountVolume.SetUp failed for volume \"%s\" : ",
                    "failed to sync %s cache: timed out waiting for the condition",
                    cutOff(look -> projected(look, ImmutableMap.of("secret", "secret", "configMap", "configmap")))))
            .add(needsApi("waits-for-token", "spec.volumes[*].projected.sources[*].serviceAccountToken")
                    .says("MountVolume.SetUp failed for volume \"%s\" : failed to fetch token: Post"
                            + " https://<API server>: dial tcp: connect: connection refused")
                    .mend("put the token into a file of the host and mount that")
                    .when(cutOff(look -> projected(look, ImmutableMap.of("serviceAccountToken", "token")))))
            .addAll(waits(
                    needsApi("waits-for-env", "spec.containers[*].env[*].valueFrom")
                            .mend("write the value into the manifest"),
                    "CreateContainerConfigError: ",
                    "failed to sync %s cache: timed out waiting for the condition",
                    cutOff(StartRules::environment)))
            .addAll(attachment(
                    needsApi("waits-for-volume-claim", "spec.volumes[*].persistentVolumeClaim")
                            .mend("a pod with claims needs the API server; a hostPath may do"),
                    volumes("persistentVolumeClaim", "ephemeral")))
            .addAll(
                    attachment( // it waits for the list of drivers, and says so to nobody
                            needsApi("waits-for-csi-driver", "spec.volumes[*].csi")
                                    .mend("a pod with CSI volumes needs the API server"),
                            volumes("csi")))
            .addAll(attachment(
                    rule("waits-for-attachment", Stage.START, "spec.volumes[*].awsElasticBlockStore")
                            .mend("a volume that a controller attaches needs the API server; a hostPath may do")
                            .read("pkg/kubelet/volumemanager, VerifyControllerAttachedVolume"),
                    volumes(VolumeKinds.ATTACHED.toArray(new String[0]))))
            .add(
                    rule("waits-for-endpoints", Stage.START, "spec.volumes[*].glusterfs")
                            .in(Versions.until(UNTIL_REFUSED))
                            .says(
                                    "MountVolume.SetUp failed for volume \"%s\" : an object of the API server cannot be read")
                            .mend("mount it on the host, and the host's directory in the pod")
                            .when(volumes(RESOLVED_BY_API.toArray(new String[0]))),
                    rule("volume-plugin-gone", Stage.START, "spec.volumes[*].rbd")
                            .since("1.25")
                            .says("MountVolume.SetUp failed for volume \"%s\" : no volume plugin matched")
                            .mend(
                                    "use a kind of volume that this kubelet has, or mount it on the host and use a hostPath")
                            .read("pkg/volume: flocker and quobyte to 1.24, glusterfs to 1.25, cephfs and rbd to 1.30")
                            .when(StartRules::withoutPlugin),
                    rule("downward-without-client", Stage.START, "spec.volumes[*].projected.sources[*].downwardAPI")
                            .says("cannot setup projected volume %s because kube client is not configured")
                            .mend("use a downwardAPI volume: it needs no API server")
                            .read("seen on 1.34 in standalone mode")
                            .when(StartRules::projectedStandalone),
                    rule("runtime-class", Stage.START, "spec.runtimeClassName")
                            .since("1.14")
                            .says("Failed to create pod sandbox: runtimeclass.node.k8s.io \"%s\" not found")
                            .mend(
                                    "drop it: the class is an object of the API server. Make its handler the runtime's default")
                            .read("pkg/kubelet/kuberuntime/kuberuntime_sandbox.go")
                            .when(look -> look.api() == ApiServer.AWAY ? runtimeClass(look) : Stream.empty()),
                    rule("runtime-class", Stage.CRASH, "spec.runtimeClassName")
                            .since("1.14")
                            .says("panic: runtime error: invalid memory address or nil pointer dereference"
                                    + " (LookupRuntimeHandler of \"%s\")")
                            .mend(
                                    "drop it: a kubelet without an API server has no runtime classes, and crashes again at every"
                                            + " start")
                            .read("seen on 1.34 in standalone mode")
                            .when(look -> look.api() == ApiServer.NONE ? runtimeClass(look) : Stream.empty()),
                    rule("pull-secret-standalone", Stage.CRASH, "spec.imagePullSecrets")
                            .in(Versions.until(UNTIL_REFUSED))
                            .says("panic: runtime error: invalid memory address or nil pointer dereference"
                                    + " (getPullSecretsForPod)")
                            .mend("drop them: pull the image beforehand, or give containerd the credentials")
                            .read("seen on 1.34 in standalone mode with the gate off")
                            .when(look -> look.api() == ApiServer.NONE
                                    ? present("spec.imagePullSecrets").hits(look)
                                    : Stream.empty()),
                    rule("sidecar-unknown", Stage.START, "spec.initContainers[*].restartPolicy")
                            .in(Versions.until("1.29"))
                            .says("PodInitializing: init container %s never ends, for this kubelet knows no sidecars")
                            .mend("make it an ordinary container")
                            .read("KEP-753: on by default since 1.29")
                            .when(look -> look.each("initContainers").stream()
                                    .filter(Look.Element::isSidecar)
                                    .map(container ->
                                            Hit.at(container.path() + ".restartPolicy", container.text("name")))),
                    rule("being-deleted", Stage.START, "metadata.deletionTimestamp")
                            .says("the pod is taken for one that is being deleted, and is not started")
                            .mend("drop it")
                            .read("seen on 1.34")
                            .whenPresent(),
                    rule("git-repo", Stage.START, "spec.volumes[*].gitRepo")
                            .since("1.33")
                            .says(
                                    "MountVolume.SetUp failed for volume \"%s\" : git-repo volume plugin has been disabled; if"
                                            + " necessary, it may be re-enabled by enabling the feature-gate `GitRepoVolumeDriver`")
                            .mend("clone in an init container into an emptyDir")
                            .read("pkg/volume/git_repo")
                            .when(look -> named(look, "gitRepo")))
            .build();

    private StartRules() {}

    private static Draft needsApi(String id, String field) {
        return rule(id, Stage.START, field)
                .in(Versions.until(UNTIL_REFUSED))
                .read("kubelet fetches it from the API server at every start");
    }

    /** The same in the words of each release, since it was read otherwise. */
    private static ImmutableList<KubeletRule> waits(Draft draft, String before, String says, Check check) {
        return ImmutableList.of(
                draft.in(Versions.until(WATCHED)).says(before + REFUSED).when(check),
                draft.in(Versions.between(WATCHED, NAMED))
                        .says(before + OLD_CACHE)
                        .when(check),
                draft.in(Versions.between(NAMED, UNTIL_REFUSED))
                        .says(before + says)
                        .when(check));
    }

    private static ImmutableList<KubeletRule> attachment(Draft draft, Check check) {
        return ImmutableList.of(
                draft.in(Versions.until(NAMED))
                        .says("Unable to mount volumes for pod: timeout expired waiting for volumes to attach or mount."
                                + " list of unmounted volumes=[%s]")
                        .when(check),
                draft.in(draft.versions().without(Versions.until(NAMED)))
                        .says("Unable to attach or mount volumes: unmounted volumes=[%s]: timed out waiting for the"
                                + " condition")
                        .when(check));
    }

    private static Check volumes(String... kinds) {
        return cutOff(look -> Stream.of(kinds).flatMap(kind -> named(look, kind)));
    }

    private static Stream<Hit> named(Look look, String kind) {
        return look.each("volumes").stream()
                .filter(volume -> VolumeKinds.knows(look.version(), kind)
                        && volume.node().path(kind).isObject())
                .map(volume -> Hit.at(volume.path() + "." + kind, volume.text("name")));
    }

    private static Stream<Hit> withoutPlugin(Look look) {
        return VolumeKinds.WITHOUT_PLUGIN_SINCE.entrySet().stream()
                .filter(kind -> look.version().isAtLeast(kind.getValue()))
                .flatMap(kind -> named(look, kind.getKey()));
    }

    /** @param kinds of sources, and what kubelet calls them */
    private static Stream<Hit> projected(Look look, ImmutableMap<String, String> kinds) {
        return look.each("volumes").stream().flatMap(volume -> {
            Stream.Builder<Hit> hits = Stream.builder();
            JsonNode sources = volume.node().path("projected").path("sources");
            for (int i = 0; i < sources.size(); i++) {
                for (Map.Entry<String, String> kind : kinds.entrySet()) {
                    if (sources.get(i).path(kind.getKey()).isObject()) {
                        hits.add(Hit.at(
                                volume.path() + ".projected.sources[" + i + "]." + kind.getKey(),
                                volume.text("name"),
                                kind.getValue()));
                    }
                }
            }
            return hits.build();
        });
    }

    private static Stream<Hit> projectedStandalone(Look look) {
        return look.api() == ApiServer.NONE ? named(look, "projected") : Stream.empty();
    }

    private static Stream<Hit> environment(Look look) {
        return Stream.of("containers", "initContainers")
                .flatMap(kind -> Stream.of(
                                "env[*].valueFrom.secretKeyRef",
                                "envFrom[*].secretRef",
                                "env[*].valueFrom.configMapKeyRef",
                                "envFrom[*].configMapRef")
                        .flatMap(field -> look.sites("spec." + kind + "[*]." + field).stream()))
                .map(site -> Hit.at(site.path(), site.field().startsWith("secret") ? "secret" : "configmap"));
    }

    private static Stream<Hit> runtimeClass(Look look) {
        return look.sites("spec.runtimeClassName").stream()
                .filter(site -> site.saysSomething())
                .map(site -> Hit.at(site.path(), site.value().asString("")));
    }
}
