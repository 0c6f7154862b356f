package dev.kip.checkpointer.lint;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.kubelet.ApiServer;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.quantity.Quantities;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say on what node a pod would come back. */
final class NodeOptions {

    private static final String SOME_NODE = "node-1";

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            defaultValue = SOME_NODE,
            description = "The node's name, which kubelet adds to the pod's; default ${DEFAULT-VALUE}.")
    private String name = SOME_NODE;

    @Option(
            names = "--node-labels",
            paramLabel = "K=V,...",
            description =
                    "Kubelet's flag of that name: the only labels beside its own that it knows with nobody to ask.")
    private @Nullable String labels;

    @Option(
            names = "--allocatable",
            paramLabel = "R=N,...",
            description = "What the node has, as cpu=2,memory=4Gi; without it nothing is too big.")
    private @Nullable String allocatable;

    @Option(
            names = "--api-server",
            paramLabel = "STATE",
            defaultValue = "away",
            description = "away (default), present, or none: a kubelet with no kubeconfig at all.")
    private String api = "away";

    ApiServer api() {
        return switch (api.toLowerCase(Locale.ROOT)) {
            case "away" -> ApiServer.AWAY;
            case "present" -> ApiServer.PRESENT;
            case "none" -> ApiServer.NONE;
            default -> throw new LintFailure("--api-server " + api + ": wanted away, present or none");
        };
    }

    /** @throws LintFailure if an option is wrong, or a kubelet of one of the versions would not start with it */
    NodeFacts node(Iterable<KubeletVersion> versions) {
        NodeFacts node = NodeFacts.named(name).withLabels(pairs("--node-labels", labels));
        Map<String, BigDecimal> resources = new LinkedHashMap<>();
        pairs("--allocatable", allocatable).forEach((resource, text) -> resources.put(resource, quantity(text)));
        for (KubeletVersion version : versions) {
            node.refusedLabels(version).ifPresent(reason -> {
                throw new LintFailure("--node-labels: kubelet " + version + ": " + reason);
            });
        }
        return node.withAllocatable(resources);
    }

    private static BigDecimal quantity(String text) {
        try {
            return Quantities.parse(text);
        } catch (IllegalArgumentException e) {
            throw new LintFailure("--allocatable: " + e.getMessage());
        }
    }

    private static ImmutableMap<String, String> pairs(String option, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return ImmutableMap.of();
        }
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : Splitter.on(',').omitEmptyStrings().split(text)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new LintFailure(option + ": \"" + pair + "\": wanted KEY=VALUE");
            }
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return ImmutableMap.copyOf(pairs);
    }
}
