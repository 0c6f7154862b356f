package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.sim.selfhosted.Maker;
import dev.kip.yaml.YamlProblem;
import java.util.stream.IntStream;

/**
 * A control plane that hosts itself: it was brought up, and has run for some minutes.
 *
 * @param count how many machines, named from {@code master-1} on
 * @param kubelet of each of them
 * @param checkpointer what makes checkpoints
 */
public record GivenNodes(int count, KubeletVersion kubelet, Maker checkpointer) {

    ImmutableList<String> names() {
        return IntStream.rangeClosed(1, count)
                .mapToObj(number -> "master-" + number)
                .collect(ImmutableList.toImmutableList());
    }

    /** {@code nodes: {count: 3, kubelet: 1.12.1, checkpointer: ours}}. */
    static GivenNodes read(Phrase nodes) throws YamlProblem {
        nodes.allow("count", "kubelet", "checkpointer");
        int count = nodes.number("count", 1);
        if (count < 1 || count > 9) {
            throw nodes.problem(nodes.line("count"), "count", "can be 1 to 9, not " + count);
        }
        return new GivenNodes(count, kubelet(nodes), nodes.choice("checkpointer", makers(), Maker.OURS.word()));
    }

    private static KubeletVersion kubelet(Phrase nodes) throws YamlProblem {
        if (!nodes.has("kubelet")) {
            return KubeletVersion.newest();
        }
        try {
            KubeletVersion version = KubeletVersion.parse(nodes.text("kubelet"));
            ImmutableSet<KubeletVersion> modelled = ImmutableSet.copyOf(KubeletVersion.MODELLED);
            if (modelled.contains(version)) {
                return version;
            }
        } catch (IllegalArgumentException e) {
            throw nodes.problem(nodes.line("kubelet"), "kubelet", String.valueOf(e.getMessage()));
        }
        throw nodes.problem(
                nodes.line("kubelet"),
                "kubelet",
                "\"" + nodes.text("kubelet") + "\" is not modelled. Known: "
                        + ImmutableList.copyOf(KubeletVersion.MODELLED));
    }

    private static ImmutableMap<String, Maker> makers() {
        return ImmutableList.copyOf(Maker.values()).stream()
                .collect(ImmutableMap.toImmutableMap(Maker::word, maker -> maker));
    }
}
