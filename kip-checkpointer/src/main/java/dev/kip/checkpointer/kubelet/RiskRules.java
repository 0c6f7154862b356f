package dev.kip.checkpointer.kubelet;

import static dev.kip.checkpointer.kubelet.Draft.rule;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.kubelet.KubeletRule.Check;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What kubelet accepts, and what then may be other than the pod's owner expects. */
final class RiskRules {

    private static final ImmutableSet<String> GONE_AFTER_A_POWER_CUT =
            ImmutableSet.of("/run", "/var/run", "/dev/shm", "/tmp");

    /** Fields that a kubelet older than they are passes over without a word. */
    static final ImmutableSortedMap<String, String> FIELD_SINCE = ImmutableSortedMap.<String, String>naturalOrder()
            .put("spec.runtimeClassName", "1.12")
            .put("spec.enableServiceLinks", "1.13")
            .put("spec.preemptionPolicy", "1.15")
            .put("spec.overhead", "1.16")
            .put("spec.topologySpreadConstraints", "1.16")
            .put("spec.ephemeralContainers", "1.16")
            .put("spec.containers[*].startupProbe", "1.16")
            .put("spec.securityContext.fsGroupChangePolicy", "1.18")
            .put("spec.setHostnameAsFQDN", "1.19")
            .put("spec.securityContext.seccompProfile", "1.19")
            .put("spec.containers[*].securityContext.seccompProfile", "1.19")
            .put("spec.os", "1.23")
            .put("spec.containers[*].livenessProbe.grpc", "1.23")
            .put("spec.containers[*].readinessProbe.grpc", "1.23")
            .put("spec.hostUsers", "1.25")
            .put("spec.schedulingGates", "1.26")
            .put("spec.resourceClaims", "1.26")
            .put("spec.containers[*].resizePolicy", "1.27")
            .put("spec.containers[*].restartPolicy", "1.28")
            .put("spec.containers[*].lifecycle.preStop.sleep", "1.29")
            .put("spec.securityContext.appArmorProfile", "1.30")
            .put("spec.containers[*].securityContext.appArmorProfile", "1.30")
            .put("spec.securityContext.supplementalGroupsPolicy", "1.31")
            .put("spec.resources", "1.32")
            .put("spec.containers[*].lifecycle.stopSignal", "1.33")
            .put("spec.hostnameOverride", "1.34")
            .put("spec.containers[*].restartPolicyRules", "1.34")
            .buildOrThrow();

    static final ImmutableList<KubeletRule> ALL = ImmutableList.of(
            rule("field-unknown", Stage.RISK, "*")
                    .says("this kubelet does not know %s (new in %s), and passes it over")
                    .mend("see whether the pod may do without it")
                    .read("staging/src/k8s.io/api/core/v1/types.go")
                    .when(RiskRules::newerThanKubelet),
            rule("volume-kind", Stage.RISK, "spec.volumes[*]")
                    .says("this kubelet knows no kind of volume in %s, and takes it for an empty emptyDir")
                    .mend("give the volume a kind that this kubelet knows")
                    .read("pkg/apis/core/v1/defaults.go, SetDefaults_Volume; seen on 1.34")
                    .when(look -> look.each("volumes").stream()
                            .filter(volume -> VolumeKinds.known(volume.node(), look.version()) == 0)
                            .map(volume -> Hit.at(volume.path(), volume.path()))),
            rule("ends-for-good", Stage.RISK, "spec.restartPolicy")
                    .says("restartPolicy %s: once ended, it is not started again, also not after a power cut")
                    .mend("use Always")
                    .read("seen on 1.34")
                    .when(look -> look.sites("spec.restartPolicy").stream()
                            .filter(site -> ImmutableSet.of("Never", "OnFailure")
                                    .contains(site.value().asString("")))
                            .map(site -> Hit.at(site.path(), site.value().asString("")))),
            rule("pulls-at-start", Stage.RISK, "spec.containers[*].imagePullPolicy")
                    .says("the image of %s is pulled at every start: ErrImagePull while the registry is away")
                    .mend("imagePullPolicy IfNotPresent, and a tag that does not move")
                    .read("the original's defect D25")
                    .when(RiskRules::pulls),
            rule("token-of-nobody", Stage.RISK, "spec.serviceAccountName")
                    .in(Versions.until("1.34"))
                    .says("a static pod gets no token of its service account")
                    .mend("drop it; if the pod talks to the API server, mount a kubeconfig of the host")
                    .read("k/k#103587")
                    .whenPresent(),
            rule("claims-passed-over", Stage.RISK, "spec.resourceClaims")
                    .in(Versions.between("1.26", "1.32.6").and(Versions.between("1.33", "1.33.2")))
                    .says("the claims are passed over: it runs without its devices")
                    .mend("a pod with resource claims cannot be a static pod")
                    .read("k/k#131844: off by default before 1.34")
                    .whenPresent(),
            rule("image-volume-off", Stage.RISK, "spec.volumes[*].image")
                    .in(Versions.between("1.31", "1.35"))
                    .says("image volumes are off by default: the mount may be missing")
                    .mend("turn on the feature gate ImageVolume, or copy the files in an init container")
                    .read("KEP-4639: on by default since 1.35")
                    .whenPresent(),
            rule("never-ready", Stage.RISK, "spec.readinessGates")
                    .says("nobody sets the condition on a mirror pod: Ready stays False")
                    .mend("drop them")
                    .read("seen on 1.34: ReadinessGatesNotReady")
                    .whenPresent(),
            rule("other-name", Stage.RISK, "spec.containers[*].env[*].valueFrom.fieldRef.fieldPath")
                    .says("%s is not the original's: kubelet adds the node's name, and makes a uid of its own")
                    .mend("write the value into the manifest if it must be the original's")
                    .read("pkg/kubelet/config/common.go, generatePodName")
                    .when(RiskRules::identity),
            rule("directory-appears", Stage.RISK, "spec.volumes[*].hostPath")
                    .says("if %s is missing, an empty directory is made in its place, and the pod starts with that")
                    .mend("type: Directory or File")
                    .read("container runtimes make a missing source of a bind mount")
                    .when(RiskRules::untypedHostPaths),
            rule("host-path-in-memory", Stage.RISK, "spec.volumes[*].hostPath.path")
                    .says("%s is in memory: what is in it is gone after a power cut")
                    .mend("keep it below /etc or /var/lib")
                    .read("a tmpfs")
                    .when(RiskRules::inMemory),
            rule("odd-priority", Stage.RISK, "spec.priority")
                    .since("1.37")
                    .says("%s")
                    .mend("priorityClassName: system-node-critical with priority: 2000001000, or neither")
                    .read("k/k#136705")
                    .when(RiskRules::oddPriority),
            rule("class-not-resolved", Stage.RISK, "spec.priorityClassName")
                    .in(Versions.until("1.37"))
                    .says("kubelet resolves no classes: without a priority beside it, the class has no effect here")
                    .mend("give its value as priority too")
                    .read("k/k#80203, #80489")
                    .when(look -> look.spec().has("priority")
                            ? Stream.empty()
                            : KubeletRule.present("spec.priorityClassName").hits(look)),
            rule("profile-on-host", Stage.RISK, "spec.containers[*].securityContext.seccompProfile")
                    .says("the profile %s must be a file of this host: CreateContainerError otherwise")
                    .mend("see that the file is there")
                    .read("seen on 1.34")
                    .when(RiskRules::localProfiles),
            rule("user-namespace", Stage.RISK, "spec.hostUsers")
                    .since("1.25")
                    .says("it waits in ContainerCreating if the runtime has no user namespaces")
                    .mend("see that the runtime and the file systems have them")
                    .read("seen on 1.34 with containerd 1.6")
                    .when(look -> look.spec().path("hostUsers").asBoolean(true)
                            ? Stream.empty()
                            : Stream.of(Hit.at("spec.hostUsers"))));

    private RiskRules() {}

    private static Stream<Hit> newerThanKubelet(Look look) {
        return FIELD_SINCE.entrySet().stream()
                .filter(field -> !look.version().isAtLeast(field.getValue()))
                .flatMap(field -> look.sites(field.getKey()).stream()
                        .filter(site -> site.saysSomething())
                        .map(site -> Hit.at(site.path(), site.path(), field.getValue())));
    }

    private static Stream<Hit> pulls(Look look) {
        return look.containers().stream()
                .filter(container -> pulls(container.node()))
                .map(container -> Hit.at(container.path() + ".imagePullPolicy", container.text("name")));
    }

    private static boolean pulls(JsonNode container) {
        String policy = container.path("imagePullPolicy").asString("");
        return policy.equals("Always")
                || (policy.isEmpty() && moves(container.path("image").asString("")));
    }

    /** Whether the policy defaults to Always: no tag, or {@code latest}. */
    private static boolean moves(String image) {
        String last = image.substring(image.lastIndexOf('/') + 1);
        return !image.contains("@") && (!last.contains(":") || last.endsWith(":latest"));
    }

    private static Stream<Hit> identity(Look look) {
        return Stream.of(
                        "spec.containers[*].env[*].valueFrom.fieldRef.fieldPath",
                        "spec.initContainers[*].env[*].valueFrom.fieldRef.fieldPath",
                        "spec.volumes[*].downwardAPI.items[*].fieldRef.fieldPath")
                .flatMap(field -> look.sites(field).stream())
                .filter(site -> ImmutableSet.of("metadata.name", "metadata.uid")
                        .contains(site.value().asString("")))
                .map(site -> Hit.at(site.path(), site.value().asString("")));
    }

    private static Stream<Hit> untypedHostPaths(Look look) {
        return look.sites("spec.volumes[*].hostPath").stream()
                .filter(site -> site.value().path("type").asString("").isEmpty())
                .map(site -> Hit.at(site.path(), site.value().path("path").asString("")));
    }

    private static Stream<Hit> inMemory(Look look) {
        return look.sites("spec.volumes[*].hostPath.path").stream()
                .filter(site -> GONE_AFTER_A_POWER_CUT.stream()
                        .anyMatch(top -> site.value().asString("").startsWith(top + "/")))
                .map(site -> Hit.at(site.path(), site.value().asString("")));
    }

    private static Stream<Hit> oddPriority(Look look) {
        boolean number = look.spec().path("priority").isIntegralNumber();
        String name = look.spec().path("priorityClassName").asString("");
        if (!number && !name.isEmpty()) {
            return Stream.of(Hit.at(
                    "spec.priorityClassName",
                    "Static pod has priorityClassName and nil priority. Kubelet will not use priorityClassName, and"
                            + " mirror pod creation may fail."));
        }
        if (number && name.isEmpty()) {
            return Stream.of(Hit.at(
                    "spec.priority",
                    "Static pod has priority without priorityClassName. Mirror pod creation may fail if the default"
                            + " priority class doesn't match the given priority."));
        }
        boolean critical = name.equals("system-node-critical")
                && look.spec().path("priority").asLong(0) == PriorityClasses.NODE_CRITICAL;
        return !number || critical
                ? Stream.empty()
                : Stream.of(Hit.at(
                        "spec.priority",
                        "Static pod has a priority other than 2000001000 or a priorityClassName other than"
                                + " system-node-critical. Mirror pod may be attempted to be evicted from the node"
                                + " ineffectively."));
    }

    private static Stream<Hit> localProfiles(Look look) {
        Check profiles = all -> Stream.of(
                        "spec.securityContext.seccompProfile.localhostProfile",
                        "spec.containers[*].securityContext.seccompProfile.localhostProfile",
                        "spec.securityContext.appArmorProfile.localhostProfile",
                        "spec.containers[*].securityContext.appArmorProfile.localhostProfile")
                .flatMap(field -> all.sites(field).stream())
                .map(site -> Hit.at(site.path(), site.value().asString("")));
        return profiles.hits(look);
    }
}
