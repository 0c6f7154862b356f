package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Refusal;
import dev.kip.bundle.Rule;
import dev.kip.bundle.Workpiece;
import dev.kip.checkpointer.sanitise.Finding.Action;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Goes through {@link CheckpointTable}, and tells what each row did. */
public final class TableSanitiser implements Sanitiser {

    private static final int OTHERS = 0007;

    @Override
    public ImmutableList<Need> needs(ObjectNode pod) {
        return isCheckpoint(pod) ? ImmutableList.of() : Needs.of(pod);
    }

    /** A pod that is a checkpoint already is given back as it is. */
    @Override
    public Sanitised sanitise(ObjectNode pod, Supplies supplies, Site site) {
        if (isCheckpoint(pod)) {
            return new Sanitised(Optional.of(new StaticPod(pod.deepCopy(), ImmutableList.of())), ImmutableList.of());
        }
        CheckpointDestination destination = new CheckpointDestination(pod, supplies, site);
        Workpiece piece = new Workpiece(pod, destination);
        ImmutableList.Builder<Finding> findings = ImmutableList.builder();
        int told = 0;
        for (Rule row : CheckpointTable.ROWS) {
            ObjectNode before = piece.manifest().deepCopy();
            row.apply(piece);
            ImmutableList<Refusal> refusals = piece.refusals();
            refusals.subList(told, refusals.size()).forEach(refusal -> findings.add(finding(refusal)));
            told = refusals.size();
            if (row.action() != Rule.Action.REFUSE) {
                changes(before, piece.manifest(), row.reason(), findings);
            }
        }
        warnOfUsers(destination, findings);
        ObjectNode manifest = piece.manifest();
        manifest.put("apiVersion", "v1"); // an item of a list has neither
        manifest.put("kind", "Pod");
        ImmutableList<Finding> all = findings.build();
        boolean stopped = all.stream().anyMatch(finding -> finding.action().stopsThePod());
        return new Sanitised(
                stopped ? Optional.empty() : Optional.of(new StaticPod(manifest, destination.volumes())), all);
    }

    private static boolean isCheckpoint(ObjectNode pod) {
        return pod.path("metadata").path("annotations").has(CheckpointMarks.OF);
    }

    private static Finding finding(Refusal refusal) {
        Action action = switch (refusal.kind()) {
            case REFUSED -> Action.REFUSED;
            case MISSING -> Action.MISSING;
            case NOT_YET, NOTE -> Action.WARNED;
        };
        return new Finding(action, refusal.field(), refusal.message());
    }

    private static void changes(
            ObjectNode before, ObjectNode after, String reason, ImmutableList.Builder<Finding> findings) {
        for (Change change : Change.between(before, after)) {
            findings.add(new Finding(change.removed() ? Action.DROPPED : Action.REWRITTEN, change.path(), reason));
        }
    }

    /** As kubelet does, files are root's when containers disagree; those not meant for everyone may then be out of reach. */
    private static void warnOfUsers(CheckpointDestination destination, ImmutableList.Builder<Finding> findings) {
        List<String> closed = destination.volumes().stream()
                .filter(volume -> volume.files().stream().anyMatch(file -> (file.mode() & OTHERS) == 0))
                .map(StaticPod.Volume::name)
                .toList();
        if (!destination.owner().agreed() && !destination.owner().shared() && !closed.isEmpty()) {
            findings.add(new Finding(
                    Action.WARNED,
                    "spec.securityContext",
                    "containers run as different users, so the files of " + String.join(", ", closed)
                            + " are root's, and their mode lets no other user read them"));
        }
    }
}
