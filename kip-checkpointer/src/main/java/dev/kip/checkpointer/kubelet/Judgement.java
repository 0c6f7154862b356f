package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;

/**
 * What kubelet makes of a static pod.
 *
 * @param troubles in kubelet's order: what comes behind the first that stops the pod would show once that is mended
 */
public record Judgement(ImmutableList<Trouble> troubles) {

    public Fate fate() {
        return troubles.stream()
                .map(trouble -> trouble.rule().stage())
                .filter(stage -> stage != Stage.RISK)
                .min(Comparator.naturalOrder())
                .map(Stage::fate)
                .orElse(Fate.COMES_BACK);
    }

    /** Those of the stage that the pod does not get past; empty if it runs. */
    public ImmutableList<Trouble> stopping() {
        return fate().runs()
                ? ImmutableList.of()
                : troubles.stream()
                        .filter(trouble -> trouble.rule().stage().fate() == fate())
                        .collect(ImmutableList.toImmutableList());
    }
}
