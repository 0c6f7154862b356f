package dev.kip.cell;

import java.util.Optional;

/**
 * What a cell says of itself.
 *
 * @param sequence grows with every change; from 1
 * @param highestEpoch the highest epoch it has seen; it refuses lower ones
 * @param pod the pod granted to it, empty while it is inert
 * @param kubelet how the pod is reached by its kubelet's own API; empty while the cell is inert
 */
public record CellReport(
        String instanceId, long sequence, long highestEpoch, Optional<PodReport> pod, Optional<Kubelet> kubelet) {

    /** Of a cell that does not say how its kubelet is reached. */
    public CellReport(String instanceId, long sequence, long highestEpoch, Optional<PodReport> pod) {
        this(instanceId, sequence, highestEpoch, pod, Optional.empty());
    }

    /**
     * The cell's kubelet, at the cell's address, with the agent's certificate, for the controller's certificate alone.
     *
     * @param podName what that kubelet calls the pod; the namespace is the pod's own
     */
    public record Kubelet(int port, String podName) {}

    /**
     * The granted pod.
     *
     * @param generation of the bundle that is in force
     * @param status a {@code PodStatus} as JSON, in the names of the API server's pod
     * @param ended every container has ended and none will start again
     * @param origin of the bundle that is in force, as it was handed over; empty if it was handed over without
     */
    public record PodReport(String uid, int attempt, long generation, String status, boolean ended, String origin) {

        /** Of a bundle without an origin. */
        public PodReport(String uid, int attempt, long generation, String status, boolean ended) {
            this(uid, attempt, generation, status, ended, "");
        }
    }
}
