package dev.kip.checkpointer.kubelet;

import static dev.kip.checkpointer.kubelet.Draft.rule;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import dev.kip.checkpointer.kubelet.KubeletRule.Check;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What kubelet's validation refuses in a pod of a file: what the API server refuses at creation, and what it would change. */
final class ValidationRules {

    private static final String SOURCE = "pkg/apis/core/validation/validation.go, ValidatePodCreate";
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final int LONGEST_NAME = 253;

    private static final ImmutableSetMultimap<String, String> CHOICES = ImmutableSetMultimap.<String, String>builder()
            .putAll("spec.restartPolicy", "Always", "OnFailure", "Never")
            .putAll("spec.dnsPolicy", "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
            .putAll("spec.containers[*].imagePullPolicy", "Always", "IfNotPresent", "Never")
            .putAll("spec.initContainers[*].imagePullPolicy", "Always", "IfNotPresent", "Never")
            .putAll("spec.containers[*].terminationMessagePolicy", "File", "FallbackToLogsOnError")
            .putAll("spec.containers[*].ports[*].protocol", "TCP", "UDP", "SCTP")
            .putAll(
                    "spec.volumes[*].hostPath.type",
                    "",
                    "DirectoryOrCreate",
                    "Directory",
                    "FileOrCreate",
                    "File",
                    "Socket",
                    "CharDevice",
                    "BlockDevice")
            .build();

    static final ImmutableList<KubeletRule> ALL = ImmutableList.of(
            rule("name-needed", Stage.VALIDATE, "metadata.name")
                    .since("1.29")
                    .says("name is needed for the pod")
                    .mend("give the pod a name")
                    .read("pkg/kubelet/config/common.go")
                    .when(ValidationRules::nameless),
            rule("invalid-name", Stage.VALIDATE, "metadata.name")
                    .says("metadata.name: Invalid value: \"%s\": a lowercase RFC 1123 subdomain must consist of lower"
                            + " case alphanumeric characters, '-' or '.', at most 253 with the node's name")
                    .mend("kubelet adds the node's name: shorten the pod's, and keep to the alphabet")
                    .read(SOURCE)
                    .when(ValidationRules::invalidName),
            rule("no-containers", Stage.VALIDATE, "spec.containers")
                    .says("spec.containers: Required value")
                    .mend("a pod has at least one container")
                    .read(SOURCE)
                    .when(look -> look.spec().path("containers").isEmpty()
                            ? Stream.of(Hit.at("spec.containers"))
                            : Stream.empty()),
            rule("container-name", Stage.VALIDATE, "spec.containers[*].name")
                    .says("%s")
                    .mend("each container has a name of its own: lower case letters, digits and '-'")
                    .read(SOURCE)
                    .when(ValidationRules::containerNames),
            rule("container-image", Stage.VALIDATE, "spec.containers[*].image")
                    .says("%s.image: Required value")
                    .mend("name the image")
                    .read(SOURCE)
                    .when(look -> look.containers().stream()
                            .filter(container -> container.text("image").isEmpty())
                            .map(container -> Hit.at(container.path() + ".image", container.path()))),
            rule("unsupported-value", Stage.VALIDATE, "*")
                    .says("%s: Unsupported value: \"%s\": supported values: %s")
                    .mend("use one of the supported values")
                    .read(SOURCE)
                    .when(ValidationRules::unsupported),
            rule("empty-selector", Stage.VALIDATE, "spec.affinity.nodeAffinity")
                    .says("%s.nodeSelectorTerms: Required value: must have at least one node selector term")
                    .mend("drop the affinity: a static pod is on its node already")
                    .read(SOURCE)
                    .when(ValidationRules::noTerms),
            rule("volume-name", Stage.VALIDATE, "spec.volumes[*].name")
                    .says("%s")
                    .mend("each volume has a name of its own")
                    .read(SOURCE)
                    .when(ValidationRules::volumeNames),
            rule("volume-kinds", Stage.VALIDATE, "spec.volumes[*]")
                    .says("%s: Forbidden: may not specify more than 1 volume type")
                    .mend("split it into two volumes")
                    .read(SOURCE)
                    .when(ValidationRules::severalKinds),
            rule("mount-without-volume", Stage.VALIDATE, "spec.containers[*].volumeMounts[*].name")
                    .says("%s.name: Not found: \"%s\"")
                    .mend("add the volume, or drop the mount")
                    .read(SOURCE)
                    .when(ValidationRules::danglingMounts),
            rule("host-network-port", Stage.VALIDATE, "spec.containers[*].ports[*].hostPort")
                    .says("%s.hostPort: Invalid value: %s: must match `containerPort` when `hostNetwork` is true")
                    .mend("drop ports: on the host's network they decide nothing but admission")
                    .read(SOURCE)
                    .when(ValidationRules::portMismatch),
            rule("token-without-account", Stage.VALIDATE, "spec.volumes[*].projected.sources[*].serviceAccountToken")
                    .since("1.12")
                    .says("%s: Forbidden: must not be specified when serviceAccountName is not set")
                    .mend("put the token into a file of the host and mount that: naming the account is refused since"
                            + " 1.34, and hides the pod from kubectl before")
                    .read("k/k#66698, lokomotive#1576")
                    .when(ValidationRules::orphanTokens),
            rule("token-projection-off", Stage.VALIDATE, "spec.volumes[*].projected.sources[*].serviceAccountToken")
                    .in(Versions.until("1.12"))
                    .says("%s: Forbidden: TokenRequestProjection feature is not enabled")
                    .mend("put the token into a file of the host and mount that")
                    .read(SOURCE)
                    .when(pathOf("spec.volumes[*].projected.sources[*].serviceAccountToken")),
            rule("ephemeral-containers", Stage.VALIDATE, "spec.ephemeralContainers")
                    .since("1.19")
                    .says("spec.ephemeralContainers: Forbidden: cannot be set on create")
                    .mend("drop them: they are for a running pod")
                    .read("k/k#114086; ValidatePodCreate since 1.19")
                    .whenPresent(),
            rule("scheduling-gates", Stage.VALIDATE, "spec.schedulingGates")
                    .since("1.27")
                    .says("spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared")
                    .mend("drop them: a static pod is on its node already")
                    .read("k/k#113274, k/k#115569")
                    .whenPresent(),
            rule("container-restart-policy", Stage.VALIDATE, "spec.containers[*].restartPolicy")
                    .in(Versions.between("1.28", "1.35"))
                    .says("%s: Forbidden: may not be set for non-init containers")
                    .mend("drop it: the pod's restartPolicy counts")
                    .read("k/k#135030")
                    .when(pathOf("spec.containers[*].restartPolicy")),
            rule("init-container-probe", Stage.VALIDATE, "spec.initContainers[*].readinessProbe")
                    .since("1.28")
                    .says("%s: Forbidden: may not be set for init containers without restartPolicy=Always")
                    .mend("drop it, or make the container a sidecar")
                    .read(SOURCE)
                    .when(ValidationRules::initProbes),
            rule("trust-bundle", Stage.VALIDATE, "spec.volumes[*].projected.sources[*].clusterTrustBundle")
                    .in(Versions.between("1.29", "1.34"))
                    .says("static pods may not use ClusterTrustBundle projected volume sources")
                    .mend("copy the bundle into a file of the host and mount that")
                    .read("pkg/kubelet/config/common.go")
                    .whenPresent(),
            rule("resource-claims", Stage.VALIDATE, "spec.resourceClaims")
                    .in(Versions.between("1.32.6", "1.33").and(Versions.between("1.33.2", "1.34")))
                    .says("static pods may not use ResourceClaims")
                    .mend("a pod with resource claims cannot be a static pod")
                    .read("k/k#131844, #131875, #131876")
                    .whenPresent());

    private ValidationRules() {}

    private static Check pathOf(String field) {
        return look -> look.sites(field).stream().map(site -> Hit.at(site.path(), site.path()));
    }

    private static Stream<Hit> nameless(Look look) {
        return look.metadata().path("name").asString("").isEmpty()
                ? Stream.of(Hit.at("metadata.name"))
                : Stream.empty();
    }

    private static Stream<Hit> invalidName(Look look) {
        String name = look.name();
        boolean valid = SUBDOMAIN.matcher(name).matches() && name.length() <= LONGEST_NAME;
        return valid ? Stream.empty() : Stream.of(Hit.at("metadata.name", name));
    }

    private static Stream<Hit> containerNames(Look look) {
        Set<String> seen = new LinkedHashSet<>();
        return look.containers().stream().flatMap(container -> {
            String path = container.path() + ".name";
            String name = container.text("name");
            if (name.isEmpty()) {
                return Stream.of(Hit.at(path, path + ": Required value"));
            }
            if (!LABEL.matcher(name).matches()) {
                return Stream.of(Hit.at(
                        path,
                        path + ": Invalid value: \"" + name + "\": a lowercase RFC 1123 label must"
                                + " consist of lower case alphanumeric characters or '-'"));
            }
            return seen.add(name)
                    ? Stream.empty()
                    : Stream.of(Hit.at(path, path + ": Duplicate value: \"" + name + "\""));
        });
    }

    private static Stream<Hit> unsupported(Look look) {
        return CHOICES.keySet().stream()
                .flatMap(field -> look.sites(field).stream()
                        .filter(site -> site.value().isString()
                                && !CHOICES.containsEntry(field, site.value().stringValue()))
                        .map(site -> Hit.at(
                                site.path(),
                                site.path(),
                                site.value().stringValue(),
                                CHOICES.get(field).stream()
                                        .map(choice -> "\"" + choice + "\"")
                                        .collect(Collectors.joining(", ")))));
    }

    private static Stream<Hit> noTerms(Look look) {
        String field = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
        return look.sites(field).stream()
                .filter(site -> site.value().path("nodeSelectorTerms").isEmpty())
                .map(site -> Hit.at(site.path(), site.path()));
    }

    private static Stream<Hit> volumeNames(Look look) {
        Set<String> seen = new LinkedHashSet<>();
        return look.each("volumes").stream().flatMap(volume -> {
            String path = volume.path() + ".name";
            String name = volume.text("name");
            if (name.isEmpty()) {
                return Stream.of(Hit.at(path, path + ": Required value"));
            }
            return seen.add(name)
                    ? Stream.empty()
                    : Stream.of(Hit.at(path, path + ": Duplicate value: \"" + name + "\""));
        });
    }

    private static Stream<Hit> severalKinds(Look look) {
        return look.each("volumes").stream()
                .filter(volume -> VolumeKinds.known(volume.node(), look.version()) > 1)
                .map(volume -> Hit.at(volume.path(), volume.path()));
    }

    private static Stream<Hit> danglingMounts(Look look) {
        Set<String> volumes =
                look.each("volumes").stream().map(volume -> volume.text("name")).collect(ImmutableSet.toImmutableSet());
        return look.containers().stream().flatMap(container -> {
            JsonNode mounts = container.node().path("volumeMounts");
            Stream.Builder<Hit> hits = Stream.builder();
            for (int i = 0; i < mounts.size(); i++) {
                String name = mounts.get(i).path("name").asString("");
                if (!volumes.contains(name)) {
                    String path = container.path() + ".volumeMounts[" + i + "]";
                    hits.add(Hit.at(path + ".name", path, name));
                }
            }
            return hits.build();
        });
    }

    private static Stream<Hit> portMismatch(Look look) {
        if (!look.spec().path("hostNetwork").asBoolean(false)) {
            return Stream.empty();
        }
        return look.containers().stream().flatMap(container -> {
            JsonNode ports = container.node().path("ports");
            Stream.Builder<Hit> hits = Stream.builder();
            for (int i = 0; i < ports.size(); i++) {
                int host = ports.get(i).path("hostPort").asInt(0);
                if (host != 0 && host != ports.get(i).path("containerPort").asInt(0)) {
                    String path = container.path() + ".ports[" + i + "]";
                    hits.add(Hit.at(path + ".hostPort", path, host));
                }
            }
            return hits.build();
        });
    }

    private static Stream<Hit> orphanTokens(Look look) {
        boolean account = !look.spec().path("serviceAccountName").asString("").isEmpty()
                || !look.spec().path("serviceAccount").asString("").isEmpty();
        return account
                ? Stream.empty()
                : pathOf("spec.volumes[*].projected.sources[*].serviceAccountToken")
                        .hits(look);
    }

    private static Stream<Hit> initProbes(Look look) {
        return look.each("initContainers").stream()
                .filter(container -> !container.isSidecar())
                .flatMap(container -> Stream.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
                        .filter(field -> container.node().path(field).isObject())
                        .map(field -> container.path() + "." + field))
                .map(path -> Hit.at(path, path));
    }
}
