package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the journal and the API server know of instances and pods.
 *
 * @param order what was read, in the order in which the reading began
 * @param gaps what could not be read whole, and why
 * @param batches names of all LaunchBatches
 * @param cellByInstance names of all Cells, of whatever node
 * @param instanceByPod for each pod uid, the instance that its Cell names
 * @param pods uids of the pods bound to our node
 */
public record Claims(
        ImmutableList<Read> order,
        ImmutableList<String> gaps,
        ImmutableSet<String> batches,
        ImmutableMap<String, String> cellByInstance,
        ImmutableMap<String, String> instanceByPod,
        ImmutableSet<String> pods) {

    /** What is read. */
    public enum Source {
        CLOUD,
        JOURNAL,
        KUBERNETES
    }

    /** @param quorum past every cache */
    public record Read(Source source, boolean quorum) {}

    /** The Cell or LaunchBatch that claims it, in words; empty if none does. */
    public Optional<String> claimant(String instanceId, String batch) {
        @Nullable String cell = cellByInstance.get(instanceId);
        if (cell != null) {
            return Optional.of("Cell " + cell);
        }
        return batches.contains(batch) ? Optional.of("LaunchBatch " + batch) : Optional.empty();
    }

    /** Whether a pod of ours with this uid exists. */
    public boolean podExists(String podUid) {
        return pods.contains(podUid);
    }

    /** Whether the pod's Cell names another instance. */
    public boolean boundElsewhere(String podUid, String instanceId) {
        @Nullable String bound = instanceByPod.get(podUid);
        return bound != null && !bound.equals(instanceId);
    }
}
