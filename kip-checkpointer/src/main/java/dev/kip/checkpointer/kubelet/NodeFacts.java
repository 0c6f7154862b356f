package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The node, as its kubelet knows it.
 *
 * @param name of the node
 * @param architecture as Go names it: {@code amd64}
 * @param labels of kubelet's flag {@code --node-labels}
 * @param clusterLabels what the API server's Node has beyond them
 * @param allocatable in base units (cores, bytes); empty if unknown, and then nothing is too big
 */
public record NodeFacts(
        String name,
        String architecture,
        ImmutableMap<String, String> labels,
        ImmutableMap<String, String> clusterLabels,
        ImmutableMap<String, BigDecimal> allocatable) {

    /** A node of which nothing but the name is known. */
    public static NodeFacts named(String name) {
        return new NodeFacts(name, "amd64", ImmutableMap.of(), ImmutableMap.of(), ImmutableMap.of());
    }

    public NodeFacts withLabels(Map<String, String> labels) {
        return new NodeFacts(name, architecture, ImmutableMap.copyOf(labels), clusterLabels, allocatable);
    }

    public NodeFacts withClusterLabels(Map<String, String> labels) {
        return new NodeFacts(name, architecture, this.labels, ImmutableMap.copyOf(labels), allocatable);
    }

    public NodeFacts withAllocatable(Map<String, BigDecimal> allocatable) {
        return new NodeFacts(name, architecture, labels, clusterLabels, ImmutableMap.copyOf(allocatable));
    }

    /** What kubelet puts behind a static pod's name. */
    String suffix() {
        return "-" + name.toLowerCase(Locale.ROOT);
    }

    /**
     * The labels that admission looks at: of the Node that kubelet has read, or of the one that it makes up from its flags
     * when it has read none.
     */
    ImmutableSortedMap<String, String> seenBy(KubeletVersion version, ApiServer api) {
        Map<String, String> seen = new TreeMap<>();
        seen.put("kubernetes.io/hostname", name.toLowerCase(Locale.ROOT));
        if (version.isAtLeast("1.14")) {
            seen.put("kubernetes.io/os", "linux");
            seen.put("kubernetes.io/arch", architecture);
        }
        if (!version.isAtLeast("1.19") || version.isAtLeast("1.20")) { // taken out, and put in again
            seen.put("beta.kubernetes.io/os", "linux");
            seen.put("beta.kubernetes.io/arch", architecture);
        }
        seen.putAll(labels);
        if (api == ApiServer.PRESENT) {
            seen.putAll(clusterLabels);
        }
        return ImmutableSortedMap.copyOf(seen);
    }

    /** Why this kubelet would not start with these flags; empty if it would. */
    public Optional<String> refusedLabels(KubeletVersion version) {
        if (!version.isAtLeast("1.16")) {
            return Optional.empty();
        }
        return labels.keySet().stream()
                .filter(NodeFacts::reserved)
                .findFirst()
                .map(label -> "kubelet does not start with --node-labels " + label
                        + ": unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels (since 1.16)");
    }

    private static boolean reserved(String label) {
        int slash = label.indexOf('/');
        String namespace = slash < 0 ? "" : label.substring(0, slash);
        boolean kubernetes = in(namespace, "kubernetes.io") || in(namespace, "k8s.io");
        return kubernetes
                && !in(namespace, "kubelet.kubernetes.io")
                && !in(namespace, "node.kubernetes.io")
                && !namespace.equals("kubernetes.io") // those of kubelet's own, as hostname and os
                && !namespace.equals("beta.kubernetes.io")
                && !namespace.equals("topology.kubernetes.io")
                && !namespace.equals("failure-domain.beta.kubernetes.io");
    }

    private static boolean in(String namespace, String domain) {
        return namespace.equals(domain) || namespace.endsWith("." + domain);
    }
}
