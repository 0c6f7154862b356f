package dev.kip.checkpointer.kubelet;

/**
 * A rule that a pod falls under.
 *
 * @param path of the field, with indexes
 * @param reason the pod's {@code status.reason}; empty if it has none of it
 * @param message kubelet's, filled in
 */
public record Trouble(KubeletRule rule, String path, String reason, String message) {}
