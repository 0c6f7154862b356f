package dev.kip.controller.store;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Reference;
import dev.kip.controller.launch.PodNeeds;
import dev.kip.kube.ObjectRef;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What decisions read of a pod.
 *
 * @param version its resourceVersion
 * @param node that it is bound to
 * @param phase Pending, Running, Succeeded, Failed or Unknown
 * @param terminating deletion was asked for
 * @param grace for its end, counted from when deletion was asked for
 * @param daemonSet a DaemonSet owns it
 * @param finalizers whether anything waits for its end
 * @param started whether its status shows that a container ever ran
 * @param needs what it asks of its instance
 * @param required what it cannot start without; empty once it has started
 * @param content digest of all that a cell is handed: spec, labels, annotations
 * @param statusDigest of the status that it has, as {@link dev.kip.controller.podstatus.StatusDigest} makes it
 * @param otherConditions that others set in its status and that must stay
 * @param explained the reason and message that its status gives for not being launched
 */
public record PodFacts(
        ObjectRef ref,
        String uid,
        String version,
        String node,
        String phase,
        boolean terminating,
        Duration grace,
        boolean daemonSet,
        boolean finalizers,
        boolean started,
        PodNeeds needs,
        ImmutableList<Reference> required,
        String content,
        String statusDigest,
        ImmutableList<JsonNode> otherConditions,
        Optional<String> explained) {

    /** It has ended and will never run again. */
    public boolean finished() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /**
     * This, with nothing taken back that can only go one way: a watch may tell of an older state than the answer to our
     * own write did.
     */
    public PodFacts after(PodFacts before) {
        boolean back = before.finished() && !finished();
        if (!back && (terminating || !before.terminating) && (started || !before.started)) {
            return this;
        }
        return new PodFacts(
                ref,
                uid,
                version,
                node,
                back ? before.phase : phase,
                terminating || before.terminating,
                terminating ? grace : before.grace,
                daemonSet,
                finalizers,
                started || before.started,
                needs,
                required,
                content,
                back ? before.statusDigest : statusDigest,
                otherConditions,
                explained);
    }
}
