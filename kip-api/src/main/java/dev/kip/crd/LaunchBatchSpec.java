package dev.kip.crd;

import com.google.common.collect.ImmutableList;

/**
 * @param node the virtual node
 * @param epoch of the controller that sends it
 * @param nonce random; never used again
 * @param digest of the launch parameters
 * @param token the client token of the call
 * @param launchKey what all instances of the call have in common
 * @param pods in launch order
 */
public record LaunchBatchSpec(
        String installationID,
        String node,
        long epoch,
        String nonce,
        String digest,
        String token,
        String launchKey,
        ImmutableList<PlannedPod> pods) {

    /** A pod attempt that waits for an instance of this call. */
    public record PlannedPod(String namespace, String name, String uid, int attempt) {}
}
