package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.Fate;
import dev.kip.checkpointer.kubelet.Judgement;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.Stage;
import dev.kip.checkpointer.kubelet.Trouble;
import dev.kip.checkpointer.kubelet.Versions;
import dev.kip.checkpointer.sanitise.Finding;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * What was found out about one pod.
 *
 * @param judged what kubelet would read; empty if no checkpoint can be made of the pod
 * @param judgements by version, in the order asked for; empty if there is nothing to judge
 * @param obstacles why no checkpoint can be made, and what to know of the one that is
 */
record Verdict(
        PodDocument document,
        Optional<ObjectNode> judged,
        ImmutableMap<KubeletVersion, Judgement> judgements,
        ImmutableList<Finding> obstacles) {

    /** Of a file that kubelet itself reads. */
    static Verdict ofStaticPod(
            PodDocument document, ImmutableList<KubeletVersion> versions, Circumstances circumstances) {
        return new Verdict(
                document,
                Optional.of(document.pod()),
                judge(document.pod(), versions, circumstances),
                ImmutableList.of());
    }

    /** Of the checkpoint that would be made. */
    static Verdict ofCheckpoint(
            PodDocument document,
            Optional<ObjectNode> checkpoint,
            ImmutableList<Finding> findings,
            ImmutableList<KubeletVersion> versions,
            Circumstances circumstances) {
        ImmutableMap<KubeletVersion, Judgement> judgements = checkpoint
                .map(manifest -> judge(manifest, versions, circumstances))
                .orElse(ImmutableMap.of());
        ImmutableList<Finding> obstacles = findings.stream()
                .filter(finding -> finding.action().stopsThePod()
                        || (finding.action() == Finding.Action.WARNED && !told(judgements, finding.path())))
                .collect(ImmutableList.toImmutableList());
        return new Verdict(document, checkpoint, judgements, obstacles);
    }

    private static boolean told(ImmutableMap<KubeletVersion, Judgement> judgements, String path) {
        return judgements.values().stream()
                .flatMap(judgement -> judgement.troubles().stream())
                .anyMatch(trouble -> trouble.path().equals(path));
    }

    private static ImmutableMap<KubeletVersion, Judgement> judge(
            ObjectNode manifest, ImmutableList<KubeletVersion> versions, Circumstances circumstances) {
        ImmutableMap.Builder<KubeletVersion, Judgement> judgements = ImmutableMap.builder();
        for (KubeletVersion version : versions) {
            judgements.put(version, KubeletModel.of(version).judge(manifest, circumstances));
        }
        return judgements.buildOrThrow();
    }

    boolean comesBack() {
        return judged.isPresent()
                && judgements.values().stream()
                        .allMatch(judgement -> judgement.fate().runs());
    }

    /** Whether something is worth a second look, though the pod comes back. */
    boolean hasWarnings() {
        return !obstacles.isEmpty()
                || judgements.values().stream()
                        .anyMatch(judgement -> !judgement.troubles().isEmpty());
    }

    /** What it says in short, for one version. */
    String text(KubeletVersion version) {
        Judgement judgement = judgements.get(version);
        return judgement == null
                ? "cannot be checkpointed"
                : judgement.fate() == Fate.COMES_BACK
                                && judgement.troubles().stream().anyMatch(Verdict::isRisk)
                        ? "comes back, with something to know"
                        : judgement.fate().text();
    }

    private static boolean isRisk(Trouble trouble) {
        return trouble.rule().stage() == Stage.RISK;
    }

    /** What is amiss, each once, in kubelet's order. */
    ImmutableList<Row> rows() {
        Map<String, Row> rows = new LinkedHashMap<>();
        judgements.forEach((version, judgement) -> judgement
                .troubles()
                .forEach(trouble -> rows.merge(
                        key(trouble), new Row(ImmutableList.of(trouble), ImmutableList.of(version)), Row::with)));
        return ImmutableList.copyOf(rows.values());
    }

    private static String key(Trouble trouble) {
        return trouble.rule().id() + "|" + trouble.rule().stage() + "|" + trouble.path();
    }

    /**
     * One thing that is amiss.
     *
     * @param troubles differ in kubelet's message alone
     * @param on the versions, of those asked for, that have it
     */
    record Row(ImmutableList<Trouble> troubles, ImmutableList<KubeletVersion> on) {
        Trouble trouble() {
            return troubles.get(0);
        }

        /** All releases that do this, whatever their message. */
        Versions versions() {
            return KubeletModel.versions(trouble().rule());
        }

        private Row with(Row other) {
            return new Row(
                    Stream.concat(troubles.stream(), other.troubles.stream())
                            .distinct()
                            .collect(ImmutableList.toImmutableList()),
                    Stream.concat(on.stream(), other.on.stream()).distinct().collect(ImmutableList.toImmutableList()));
        }
    }
}
