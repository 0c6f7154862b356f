package dev.kip.checkpointer.kubelet;

import static dev.kip.checkpointer.kubelet.Draft.rule;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.kubelet.KubeletRule.Check;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What kubelet marks Failed when it first sees a pod, and does not look at again. */
final class AdmissionRules {

    private static final String PREDICATES = "pkg/kubelet/lifecycle/predicate.go";

    /** Settings that are safe, and since when kubelet holds them so. */
    private static final ImmutableSortedMap<String, String> SAFE_SYSCTLS =
            ImmutableSortedMap.<String, String>naturalOrder()
                    .put("kernel.shm_rmid_forced", "1.11")
                    .put("net.ipv4.ip_local_port_range", "1.11")
                    .put("net.ipv4.tcp_syncookies", "1.11")
                    .put("net.ipv4.ping_group_range", "1.18")
                    .put("net.ipv4.ip_unprivileged_port_start", "1.22")
                    .put("net.ipv4.ip_local_reserved_ports", "1.27")
                    .put("net.ipv4.tcp_keepalive_time", "1.29")
                    .put("net.ipv4.tcp_keepalive_intvl", "1.29")
                    .put("net.ipv4.tcp_keepalive_probes", "1.29")
                    .put("net.ipv4.tcp_fin_timeout", "1.29")
                    .put("net.ipv4.tcp_rmem", "1.32")
                    .put("net.ipv4.tcp_wmem", "1.32")
                    .put("net.ipv4.tcp_slow_start_after_idle", "1.37")
                    .put("net.ipv4.tcp_notsent_lowat", "1.37")
                    .buildOrThrow();

    static final ImmutableList<KubeletRule> ALL = ImmutableList.<KubeletRule>builder()
            .add(rule("forbidden-sysctl", Stage.ADMIT, "spec.securityContext.sysctls")
                    .failsAs("SysctlForbidden")
                    .says("forbidden sysctl: \"%s\" not allowlisted")
                    .mend("allow it with kubelet's --allowed-unsafe-sysctls, or set it on the host")
                    .read("pkg/kubelet/sysctl")
                    .when(AdmissionRules::unsafeSysctls))
            .add(rule("other-os", Stage.ADMIT, "metadata.labels.kubernetes.io/os")
                    .since("1.18")
                    .failsAs("PodOSSelectorNodeLabelDoesNotMatch")
                    .says("Failed to admit pod as the `kubernetes.io/os` label doesn't match node label")
                    .mend("drop the label")
                    .read(PREDICATES)
                    .when(AdmissionRules::otherOsLabel))
            .add(rule("other-os", Stage.ADMIT, "spec.os.name")
                    .since("1.24")
                    .failsAs("PodOSNotSupported")
                    .says("Failed to admit pod as the OS field doesn't match node OS")
                    .mend("the pod is for another operating system")
                    .read(PREDICATES)
                    .when(look -> look.sites("spec.os.name").stream()
                            .filter(site -> !site.value().asString("").equals("linux"))
                            .map(site -> Hit.at(site.path()))))
            .addAll(predicate(
                    "node-affinity",
                    "spec.affinity.nodeAffinity",
                    "MatchNodeSelector",
                    "NodeAffinity",
                    "node(s) didn't match Pod's node affinity/selector",
                    "drop the affinity: a static pod is on its node already, and with no API server kubelet knows no"
                            + " labels but its own",
                    "bootkube#1001, k/k#66526",
                    NodeSelection::affinity))
            .addAll(predicate(
                    "node-selector",
                    "spec.nodeSelector",
                    "MatchNodeSelector",
                    "NodeAffinity",
                    "node(s) didn't match Pod's node affinity/selector",
                    "drop the nodeSelector: with no API server kubelet knows no labels but its own, and since 1.16 it"
                            + " may not set node-role.kubernetes.io/* itself",
                    "bootkube#1068, talos#1548, k/k#65153",
                    NodeSelection::selector))
            .addAll(predicate(
                    "host-port-taken",
                    "spec.containers[*].ports[*].hostPort",
                    "PodFitsHostPorts",
                    "NodePorts",
                    "node(s) didn't have free ports for the requested pod ports",
                    "drop ports where the pod is on the host's network, or give each pod ports of its own",
                    "k/k#88785",
                    HostPorts::taken))
            .add(rule("too-big", Stage.ADMIT, "spec.containers[*].resources.requests")
                    .in(Versions.until("1.16"))
                    .failsAs("OutOf%s")
                    .says("Node didn't have enough resource: %s, requested: %s, used: %s, capacity: %s")
                    .mend("ask for less")
                    .read(PREDICATES)
                    .when(Requests::beyondTheNode))
            .add(rule("too-big", Stage.ADMIT, "spec.containers[*].resources.requests")
                    .since("1.16")
                    .failsAs("UnexpectedAdmissionError")
                    .says("Unexpected error while attempting to recover from admission failure: preemption: error"
                            + " finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: %s)]"
                            + " (requested: %s, used: %s, capacity: %s)")
                    .mend("ask for less: a static pod counts as critical, so kubelet looks for others to end, and finds"
                            + " none")
                    .read("k/k#138391")
                    .when(Requests::beyondTheNode))
            .build();

    private AdmissionRules() {}

    /** One predicate under its old name, its new one, and that with a description. */
    private static ImmutableList<KubeletRule> predicate(
            String id,
            String field,
            String oldName,
            String newName,
            String description,
            String remedy,
            String source,
            Check check) {
        return ImmutableList.of(
                rule(id, Stage.ADMIT, field)
                        .in(Versions.until("1.18"))
                        .failsAs(oldName)
                        .says("Predicate " + oldName + " failed")
                        .mend(remedy)
                        .read(source)
                        .when(check),
                rule(id, Stage.ADMIT, field)
                        .in(Versions.between("1.18", "1.31"))
                        .failsAs(newName)
                        .says("Predicate " + newName + " failed")
                        .mend(remedy)
                        .read(source)
                        .when(check),
                rule(id, Stage.ADMIT, field)
                        .since("1.31")
                        .failsAs(newName)
                        .says("Predicate " + newName + " failed: " + description)
                        .mend(remedy)
                        .read(source)
                        .when(check));
    }

    private static Stream<Hit> unsafeSysctls(Look look) {
        Stream.Builder<Hit> hits = Stream.builder();
        JsonNode sysctls = look.spec().path("securityContext").path("sysctls");
        for (int i = 0; i < sysctls.size(); i++) {
            String name = sysctls.get(i).path("name").asString("");
            String since = SAFE_SYSCTLS.getOrDefault(name, "");
            if (since.isEmpty() || !look.version().isAtLeast(since)) {
                hits.add(Hit.at("spec.securityContext.sysctls[" + i + "].name", name));
            }
        }
        return hits.build();
    }

    private static Stream<Hit> otherOsLabel(Look look) {
        String wanted = look.metadata().path("labels").path("kubernetes.io/os").asString("linux");
        return wanted.equals("linux") ? Stream.empty() : Stream.of(Hit.at("metadata.labels.kubernetes.io/os"));
    }
}
