package dev.kip.crd;

/**
 * @param installationID 128 random bits, minted once: 26 characters of lower-case base32
 * @param epoch number of the incarnation that may mutate; raised before any mutation
 * @param clusterUID uid of the namespace kube-system
 * @param holder who raised the epoch last, for people
 */
public record InstallationSpec(
        String installationID, long epoch, String clusterUID, String region, String vpc, String holder) {}
