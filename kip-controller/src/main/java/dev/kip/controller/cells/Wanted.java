package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.podstatus.Explanation;
import dev.kip.controller.store.PodFacts;
import java.util.Optional;

/**
 * The pod has no cell. It gets one if it is meant to run.
 *
 * @param problem why it could not be launched when that was tried last
 * @param notBefore when it may be tried again
 */
record Wanted(Optional<Problem> problem, long notBefore) implements CellPhase {

    static final Wanted AT_ONCE = new Wanted(Optional.empty(), Long.MIN_VALUE);

    private static final Problem SKIPPED = new Problem(
            "DaemonSetSkipped",
            "pods of DaemonSets get no cell of their own (daemonSets: skip). Keep the DaemonSet off this node by node"
                    + " affinity, or set daemonSets: run");

    @Override
    public ImmutableList<Intent> next(CellFacts cell, Policy policy, long now) {
        if (cell.pod().isEmpty()) {
            return NOTHING;
        }
        PodFacts pod = cell.pod().get();
        if (pod.terminating()) {
            return cell.podRemovable(now) ? ImmutableList.of(cell.removePod()) : NOTHING;
        }
        if (pod.finished()) {
            return NOTHING;
        }
        Optional<Problem> standing = pod.daemonSet() && policy.skipDaemonSets()
                ? Optional.of(SKIPPED)
                : pod.needs().problem();
        Optional<Problem> told = standing.isPresent() ? standing : problem;
        if (told.isPresent() && !isExplained(pod, told.get()) && cell.errands().free(Errand.EXPLAIN, now)) {
            return ImmutableList.of(new Intent.Explain(pod, told.get()));
        }
        if (standing.isPresent() || !hasCome(now) || !cell.errands().free(Errand.LAUNCH, now)) {
            return NOTHING;
        }
        return ImmutableList.of(new Intent.AskForInstance(pod, cell.attempt()));
    }

    @Override
    public long due(CellFacts cell, Policy policy, long now) {
        return cell.wantsToRun() && !hasCome(now) ? notBefore : NEVER;
    }

    private boolean hasCome(long now) {
        return notBefore == Long.MIN_VALUE || notBefore - now <= 0;
    }

    static boolean isExplained(PodFacts pod, Problem problem) {
        return pod.explained().isPresent() && pod.explained().get().equals(Explanation.textOf(problem));
    }

    @Override
    public String name() {
        return "Wanted";
    }
}
