package dev.kip.crd;

/** The write-ahead record of one launch call. Written before the call; deleted when every pod in it is bound or voided. Cluster-scoped. */
public record LaunchBatch(ObjectMetadata metadata, LaunchBatchSpec spec) {}
